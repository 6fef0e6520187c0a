//! The blocks of one site in one thread, in the order in which they were allocated.

/// Arenas align blocks so, in bytes.
const ALIGN: u64 = 16;
/// From so many entries on, those of ended blocks are removed when they are the majority.
const FEW: usize = 64;

#[derive(Default)]
pub struct Lane {
    /// The newest last. Ended blocks leave when they are on top.
    stack: Vec<u64>,
    pub blocks: u64,
    /// Freed since the last allocation.
    run: u64,
    /// The blocks of such runs that left none in use.
    pub torn_down: u64,
    pub bytes: u64,
    pub most_bytes: u64,
    /// What an arena would hold that frees nothing until none is in use.
    pub in_arena: u64,
    pub most_in_arena: u64,
    /// What scopes would hold: they take back the last block, too.
    cut: Vec<(u64, u64)>,
    pub in_scopes: u64,
    pub most_in_scopes: u64,
    /// The scopes have grown without end, and are no longer followed.
    pub is_too_large: bool,
}

impl Lane {
    /// Scopes that hold more than `limit` bytes are too large.
    pub fn allocate(&mut self, block: u64, size: u64, limit: u64) {
        self.stack.push(block);
        self.blocks += 1;
        self.run = 0;
        self.bytes += size;
        self.most_bytes = self.most_bytes.max(self.bytes);
        let taken = size.max(1).saturating_add(ALIGN - 1) / ALIGN * ALIGN;
        self.in_arena = self.in_arena.saturating_add(taken);
        self.most_in_arena = self.most_in_arena.max(self.in_arena);
        if self.is_too_large {
            return;
        }
        self.cut.push((block, taken));
        self.in_scopes += taken;
        self.most_in_scopes = self.most_in_scopes.max(self.in_scopes);
        if self.in_scopes > limit {
            self.is_too_large = true;
            self.cut = Vec::new();
        }
    }

    /// Returns: whether the block is the newest one in use. `is_live` tells of other blocks.
    /// Complexity: constant on average, as each entry leaves once.
    pub fn free(&mut self, block: u64, size: u64, is_live: impl Fn(u64) -> bool) -> bool {
        while self.stack.last().is_some_and(|&top| top != block && !is_live(top)) {
            self.stack.pop();
        }
        let is_newest = self.stack.last() == Some(&block);
        if is_newest {
            self.stack.pop();
        }
        self.blocks -= 1;
        self.run += 1;
        self.bytes -= size;
        if self.stack.len() > FEW && self.stack.len() as u64 > 2 * self.blocks {
            self.stack.retain(|&other| other != block && is_live(other));
        }
        if self.cut.last().is_some_and(|&(last, _)| last == block) {
            self.in_scopes -= self.cut.pop().map_or(0, |it| it.1);
        }
        if self.blocks == 0 {
            self.torn_down += self.run;
            self.stack.clear();
            self.cut.clear();
            (self.in_arena, self.in_scopes) = (0, 0);
        }
        is_newest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_take_back_the_last_block_and_arenas_start_again_when_empty() {
        let mut lane = Lane::default();
        for block in 0..3 {
            lane.allocate(block, 10, 1000);
        }
        assert!(lane.free(2, 10, |it| it < 2));
        assert_eq!((lane.in_arena, lane.in_scopes), (48, 32));
        assert!(!lane.free(0, 10, |it| it == 1), "1 is newer");
        assert_eq!((lane.in_arena, lane.in_scopes), (48, 32));
        assert!(lane.free(1, 10, |_| false));
        assert_eq!((lane.in_arena, lane.in_scopes, lane.most_bytes), (0, 0, 30));
        assert_eq!((lane.most_in_arena, lane.most_in_scopes), (48, 48));
    }

    #[test]
    fn blocks_that_end_together_are_torn_down() {
        let mut lane = Lane::default();
        for block in 0..4 {
            lane.allocate(block, 10, 1000);
        }
        lane.free(1, 10, |it| it != 1);
        lane.allocate(4, 10, 1000);
        for block in [0, 3, 2] {
            lane.free(block, 10, |it| it == 4);
            assert_eq!(lane.torn_down, 0);
        }
        lane.free(4, 10, |_| false);
        assert_eq!(lane.torn_down, 4, "1 ended before");
    }

    #[test]
    fn a_queue_grows_an_arena_without_end_but_no_list_of_ours() {
        let mut lane = Lane::default();
        lane.allocate(0, 16, 4096);
        for block in 1..10_000 {
            lane.allocate(block, 16, 4096);
            assert!(!lane.free(block - 1, 16, |it| it == block));
            assert!(lane.stack.len() <= FEW + 1 && lane.cut.len() <= 257);
        }
        assert!(lane.is_too_large && lane.most_in_arena > 100_000);
    }
}
