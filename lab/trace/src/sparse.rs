//! Values by number, few of which are there.

/// Adds `more` to a list that is sorted by number, as `more` is.
pub(crate) fn merge<T: Copy>(into: &mut Vec<(u32, T)>, more: Vec<(u32, T)>, add: fn(&mut T, T)) {
    if more.is_empty() {
        return;
    }
    if into.is_empty() {
        *into = more;
        return;
    }
    let mut both = Vec::with_capacity(into.len().max(more.len()));
    let (mut a, mut b) = (into.iter().copied().peekable(), more.into_iter().peekable());
    loop {
        let next = match (a.peek(), b.peek()) {
            (Some(x), Some(y)) if y.0 < x.0 => b.next(),
            (None, _) => b.next(),
            (Some(_), _) => a.next(),
        };
        let Some((number, value)) = next else { break };
        match both.last_mut() {
            Some((last, sum)) if *last == number => add(sum, value),
            _ => both.push((number, value)),
        }
    }
    *into = both;
}

/// Values by number, most of which are untouched between two takes.
#[derive(Default)]
pub(crate) struct Sparse<T> {
    values: Vec<T>,
    touched: Vec<u32>,
}

impl<T: Copy + Default + PartialEq> Sparse<T> {
    pub(crate) fn at(&mut self, number: u32) -> &mut T {
        let at = number as usize;
        if self.values.len() <= at {
            self.values.resize(at + 1, T::default());
        }
        if self.values[at] == T::default() {
            self.touched.push(number);
        }
        &mut self.values[at]
    }

    /// The touched values in the order of their numbers. Afterwards none is touched.
    pub(crate) fn take(&mut self) -> Vec<(u32, T)> {
        self.touched.sort_unstable();
        self.touched.dedup();
        let values = &mut self.values;
        let taken = self.touched.drain(..).map(|n| (n, std::mem::take(&mut values[n as usize])));
        taken.filter(|(_, value)| *value != T::default()).collect()
    }
}
