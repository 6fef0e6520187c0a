/* Stands in for the header of libc, which a bare target lacks. */
