//! The offsets of columns in one block: arithmetic on layouts, without memory.

use core::alloc::Layout;

/// Every column starts at a multiple of this, so that no two share a cache line.
const COLUMN_ALIGN: usize = 64;

/// The offset of each column, and the layout of the block. `None`: no block can be that large.
pub(crate) fn arrange<const N: usize>(
    fields: [Layout; N],
    rows: usize,
) -> Option<([usize; N], Layout)> {
    let (mut offsets, mut end, mut align) = ([0; N], 0usize, COLUMN_ALIGN);
    for (offset, field) in offsets.iter_mut().zip(fields) {
        align = align.max(field.align());
        *offset = end.checked_next_multiple_of(COLUMN_ALIGN.max(field.align()))?;
        end = offset.checked_add(field.size().checked_mul(rows)?)?;
    }
    Some((offsets, Layout::from_size_align(end, align).ok()?))
}

#[cfg(test)]
mod tests {
    use super::{COLUMN_ALIGN, arrange};
    use core::alloc::Layout;

    #[test]
    fn columns_begin_at_cache_lines_and_do_not_overlap() {
        let layouts = [1, 2, 3, 8, 24, 100].into_iter().flat_map(|size| {
            [1, 4, 64, 256]
                .map(|align| Layout::from_size_align(size, align).unwrap().pad_to_align())
        });
        for field in layouts {
            let fields = [Layout::new::<u8>(), field, Layout::new::<()>(), Layout::new::<u64>()];
            for rows in (0..if cfg!(miri) { 3 } else { 130 }).chain([1 << 20]) {
                let (offsets, block) = arrange(fields, rows).unwrap();
                let ends = offsets.iter().zip(fields).map(|(at, field)| at + field.size() * rows);
                let next = offsets.iter().skip(1).copied().chain([block.size()]);
                assert!(ends.zip(next).all(|(end, next)| end <= next && next - end < 256));
                assert!(offsets.iter().zip(fields).all(|(at, field)| at % field.align() == 0));
                assert!(offsets.iter().all(|at| at % COLUMN_ALIGN == 0));
                assert!(
                    offsets
                        .iter()
                        .all(|at| block.align() % COLUMN_ALIGN == 0 && *at <= block.size())
                );
            }
        }
    }

    #[test]
    fn impossible_arrangements_are_refused() {
        let fields = [Layout::new::<u8>(), Layout::new::<u64>()];
        for rows in [usize::MAX, usize::MAX / 8, isize::MAX as usize / 9] {
            assert!(arrange(fields, rows).is_none());
        }
        assert!(arrange([Layout::new::<()>()], usize::MAX).is_some());
    }
}
