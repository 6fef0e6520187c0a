//! An order book: the orders lie in a pool of fixed capacity, so trading never allocates. The program
//! counts allocations to prove it.

use std::alloc::System;
use std::collections::{HashMap, VecDeque};
use std::process::ExitCode;

use heapsmith::{Counted, FixedPool, Handle, assert_no_allocation, count_allocations};
use measured::{Example, Results, differs, same};

#[global_allocator]
static A: Counted<System> = Counted::new(System);

const TICKS: usize = 4096; // prices are below
const MOST_ORDERS: usize = 1 << 14;

trait Orders: Default {
    type Name: Copy;
    fn add(&mut self, price: usize, quantity: u32) -> Self::Name;
    /// Returns false if the order was traded away.
    fn cancel(&mut self, name: Self::Name) -> bool;
    /// The quantity of the first order of a price.
    fn first(&mut self, price: usize) -> Option<&mut u32>;
    fn end_first(&mut self, price: usize);
    fn len(&self) -> usize;
}

// To copy: all orders in one block, in a queue for each price. A client keeps a handle, so
// cancelling an order that was traded away is detected.
struct HeapsmithForm {
    orders: FixedPool<Order>,
    queues: Vec<Queue>,
}

#[derive(Clone, Copy, Default)]
struct Queue {
    first: Option<Handle<Order>>,
    last: Option<Handle<Order>>,
}

struct Order {
    price: usize,
    quantity: u32,
    before: Option<Handle<Order>>,
    after: Option<Handle<Order>>,
}

impl Default for HeapsmithForm {
    fn default() -> Self {
        let orders = FixedPool::with_fixed_capacity(MOST_ORDERS);
        Self { orders, queues: vec![Queue::default(); TICKS] }
    }
}

impl Orders for HeapsmithForm {
    type Name = Handle<Order>;

    fn add(&mut self, price: usize, quantity: u32) -> Handle<Order> {
        let queue = &mut self.queues[price];
        let before = queue.last;
        let added = self.orders.insert(Order { price, quantity, before, after: None });
        queue.last = Some(added);
        match before {
            Some(before) => self.orders[before].after = Some(added),
            None => queue.first = Some(added),
        }
        added
    }

    fn cancel(&mut self, name: Handle<Order>) -> bool {
        let Some(Order { price, before, after, .. }) = self.orders.remove(name) else {
            return false;
        };
        match before {
            Some(before) => self.orders[before].after = after,
            None => self.queues[price].first = after,
        }
        match after {
            Some(after) => self.orders[after].before = before,
            None => self.queues[price].last = before,
        }
        true
    }

    fn first(&mut self, price: usize) -> Option<&mut u32> {
        let first = self.queues[price].first?;
        Some(&mut self.orders[first].quantity)
    }

    fn end_first(&mut self, price: usize) {
        let first = self.queues[price].first.expect("the price has an order");
        self.cancel(first);
    }

    fn len(&self) -> usize {
        self.orders.len()
    }
}

// The same with the standard library: a queue of numbers for each price, and a map that finds the
// orders. A cancelled order leaves its number behind in the queue.
struct StdForm {
    quantities: HashMap<u64, u32>,
    queues: Vec<VecDeque<u64>>,
    last: u64,
}

impl Default for StdForm {
    fn default() -> Self {
        let queues = vec![VecDeque::new(); TICKS];
        Self { quantities: HashMap::with_capacity(MOST_ORDERS), queues, last: 0 }
    }
}

impl Orders for StdForm {
    type Name = u64;

    fn add(&mut self, price: usize, quantity: u32) -> u64 {
        self.last += 1;
        self.quantities.insert(self.last, quantity);
        self.queues[price].push_back(self.last);
        self.last
    }

    fn cancel(&mut self, name: u64) -> bool {
        self.quantities.remove(&name).is_some()
    }

    fn first(&mut self, price: usize) -> Option<&mut u32> {
        let queue = &mut self.queues[price];
        while !self.quantities.contains_key(queue.front()?) {
            queue.pop_front();
        }
        self.quantities.get_mut(queue.front()?)
    }

    fn end_first(&mut self, price: usize) {
        let first = self.queues[price].pop_front().expect("the price has an order");
        self.quantities.remove(&first);
    }

    fn len(&self) -> usize {
        self.quantities.len()
    }
}

/// Matches orders by price, and by time where prices are equal.
struct OrderBook<O> {
    orders: O,
    best_bid: usize,
    best_ask: usize,
    traded: u64,
}

impl<O: Orders> OrderBook<O> {
    /// Returns the name of what is left of the order.
    fn buy(&mut self, price: usize, mut quantity: u32) -> Option<O::Name> {
        while self.best_ask <= price {
            quantity = self.take(self.best_ask, quantity);
            if quantity == 0 {
                return None;
            }
            self.best_ask += 1;
        }
        self.best_bid = self.best_bid.max(price);
        Some(self.orders.add(price, quantity))
    }

    fn sell(&mut self, price: usize, mut quantity: u32) -> Option<O::Name> {
        while self.best_bid >= price {
            quantity = self.take(self.best_bid, quantity);
            if quantity == 0 {
                return None;
            }
            self.best_bid -= 1;
        }
        self.best_ask = self.best_ask.min(price);
        Some(self.orders.add(price, quantity))
    }

    /// Returns the quantity that is left when all orders of the price are used up.
    fn take(&mut self, price: usize, mut quantity: u32) -> u32 {
        while quantity != 0 {
            let Some(there) = self.orders.first(price) else { break };
            let taken = quantity.min(*there);
            quantity -= taken;
            *there -= taken;
            self.traded += u64::from(taken);
            if *there == 0 {
                self.orders.end_first(price);
            }
        }
        quantity
    }
}

/// Each order is cancelled after `MOST_ORDERS` further ones, unless it was traded by then.
fn trade<O: Orders>(count: usize, run: fn(&mut dyn FnMut()) -> u64) -> Results {
    let mut book = OrderBook { orders: O::default(), best_bid: 0, best_ask: TICKS, traded: 0 };
    let mut recent: Vec<Option<O::Name>> = vec![None; MOST_ORDERS];
    let mut cancelled = 0;
    let mut random = 1u32;
    let allocations = run(&mut || {
        for i in 0..count {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let price = 1800 + ((random >> 8) % 400) as usize;
            let quantity = 1 + (random >> 20) % 9;
            let name = &mut recent[i % MOST_ORDERS];
            cancelled += u64::from(name.is_some_and(|name| book.orders.cancel(name)));
            *name = if random >> 31 == 1 {
                book.buy(price - 40, quantity)
            } else {
                book.sell(price + 40, quantity)
            };
        }
    });
    vec![
        same("shares traded", book.traded),
        same("orders cancelled", cancelled),
        same("orders open", book.orders.len() as u64),
        differs("allocations", allocations),
    ]
}

struct Book;

impl Example for Book {
    const MEASURED: usize = 6_000_000;
    const SHOWN: usize = 50_000;

    fn std_form(orders: usize) -> Results {
        trade::<StdForm>(orders, |all| count_allocations(all).1.allocations)
    }
    /// Panics if trading allocates.
    fn heapsmith_form(orders: usize) -> Results {
        trade::<HeapsmithForm>(orders, |all| {
            assert_no_allocation(all);
            0
        })
    }
}

fn main() -> ExitCode {
    measured::main::<Book>("order-book-rust")
}
