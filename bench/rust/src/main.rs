//! The suite `rust`: objects, growing vectors and texts in arenas and scopes that are Rust crates.
//! It also starts the programs beside it. The runner's rounds are the repetitions.

mod contenders;
mod objects;
mod rounds;
mod strings;
mod vectors;

use std::process::ExitCode;

use heapsmith_bench::{Entry, programs};

use contenders::blink::BlinkAlloc;
use contenders::boxes::{OnGlibc, OnHeapsmith};
use contenders::bump_scope::BumpScope;
use contenders::bumpalo::Bumpalo;
use contenders::heapsmith::{InArena, InScope};
use contenders::limit::Limit;
use contenders::overlapping::Overlapping;
use contenders::typed_arena::TypedArena;
use objects::{Dropped, Trivial};

/// Objects of every size, from 64 bytes to 1024.
macro_rules! of_all_sizes {
    ($object:ident: $($contender:ty),*) => {
        [$(
            objects::entry::<$contender, $object<16>>(),
            objects::entry::<$contender, $object<32>>(),
            objects::entry::<$contender, $object<64>>(),
            objects::entry::<$contender, $object<128>>(),
            objects::entry::<$contender, $object<256>>(),
        )*]
    };
}

fn entries() -> Vec<Entry> {
    let mut all = Vec::new();
    all.extend(of_all_sizes!(
        Trivial: Limit, OnGlibc, OnHeapsmith, InScope, InArena, Bumpalo, BumpScope, TypedArena,
        BlinkAlloc, Overlapping
    ));
    all.extend(of_all_sizes!(
        Dropped: Limit, OnGlibc, OnHeapsmith, InScope, Bumpalo, BumpScope, TypedArena, BlinkAlloc,
        Overlapping
    ));
    let of_vectors = [
        vectors::entries::<Limit>(),
        vectors::entries::<OnGlibc>(),
        vectors::entries::<OnHeapsmith>(),
        vectors::entries::<InScope>(),
        vectors::entries::<InArena>(),
        vectors::entries::<Bumpalo>(),
        vectors::entries::<BumpScope>(),
        vectors::entries::<BlinkAlloc>(),
        vectors::entries::<Overlapping>(),
    ];
    all.extend(of_vectors.into_iter().flatten());
    all.extend([
        strings::entry::<Limit>(),
        strings::entry::<OnGlibc>(),
        strings::entry::<OnHeapsmith>(),
        strings::entry::<InScope>(),
        strings::entry::<InArena>(),
        strings::entry::<Bumpalo>(),
        strings::entry::<BumpScope>(),
        strings::entry::<TypedArena>(),
        strings::entry::<BlinkAlloc>(),
        strings::entry::<Overlapping>(),
    ]);
    all
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(failed) = programs::become_program(&arguments) {
        return failed;
    }
    let ended = heapsmith_bench::main("rust", &entries());
    if arguments == ["--list"] {
        programs::list();
    }
    ended
}
