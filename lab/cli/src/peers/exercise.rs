//! A small program that a freshly built allocator must run: threads that allocate, resize and free
//! blocks, many of them blocks of another thread.

use std::alloc::{Layout, alloc, dealloc};
use std::sync::mpsc;
use std::thread;

use anyhow::{Result, ensure};

use heapsmith_measure::error::OK;

const THREADS: usize = 4;
const BLOCKS: usize = 20_000;

pub fn run() -> Result<u8> {
    let (to_next, mut from_previous) = mpsc::channel::<Vec<u8>>();
    drop(to_next);
    let mut workers = Vec::new();
    for thread in 0..THREADS {
        let (to_next, from_this) = mpsc::channel();
        let received = std::mem::replace(&mut from_previous, from_this);
        workers.push(thread::spawn(move || work(thread, &received, &to_next)));
    }
    let mut sound = from_previous.into_iter().all(|block| is_sound(&block));
    for worker in workers {
        sound &= worker.join().unwrap_or(false);
    }
    ensure!(sound, "a block does not hold the bytes that were written to it");
    Ok(OK)
}

/// Checks and frees the blocks of the previous thread, and makes blocks for the next one.
fn work(
    thread: usize,
    received: &mpsc::Receiver<Vec<u8>>,
    to_next: &mpsc::Sender<Vec<u8>>,
) -> bool {
    let mut sound = true;
    for index in 0..BLOCKS {
        let bytes = 1 + (index * 37 + thread * 11) % 5000;
        let mut block = vec![fill(bytes); bytes];
        if index % 3 == 0 {
            block.resize(2 * bytes, fill(bytes));
            block.truncate(bytes);
            block.shrink_to_fit();
        }
        sound &= is_sound(&block) && is_aligned(bytes, 16 << (index % 9));
        if index % 2 == 0 && to_next.send(block).is_err() {
            return false;
        }
        sound &= received.try_iter().take(2).all(|block| is_sound(&block));
    }
    sound && received.iter().all(|block| is_sound(&block))
}

/// The byte that a block of this size holds.
fn fill(bytes: usize) -> u8 {
    (bytes % 251) as u8
}

fn is_sound(block: &[u8]) -> bool {
    block.iter().all(|byte| *byte == fill(block.len()))
}

fn is_aligned(bytes: usize, align: usize) -> bool {
    let Ok(layout) = Layout::from_size_align(bytes, align) else {
        return false;
    };
    // SAFETY: the size is not 0, and the block is freed with the same layout.
    unsafe {
        let block = alloc(layout);
        let aligned = !block.is_null() && block as usize % align == 0;
        if !block.is_null() {
            dealloc(block, layout);
        }
        aligned
    }
}

#[cfg(test)]
mod tests {
    //! The C library's allocator passes.
    #[test]
    fn a_sound_allocator_passes() {
        assert_eq!(super::run().expect("sound"), super::OK);
    }
}
