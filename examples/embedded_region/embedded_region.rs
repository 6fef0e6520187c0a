//! A device without an OS: packets of a radio are parsed and wait in queues, all in a region over one
//! static buffer. `device` needs `core` alone.

use std::collections::VecDeque;
use std::mem::MaybeUninit;
use std::process::ExitCode;
use std::sync::Mutex;

use heapsmith::RegionControl;
use measured::{Example, Results, same};

/// To copy: it compiles as it is in a crate with `#![no_std]` and without `alloc`.
mod device {
    use core::array;
    use core::ops::DerefMut;

    use heapsmith::{Region, RegionBox};

    pub const PRIORITIES: usize = 4;
    const MOST_WAITING: usize = 64;

    pub trait Memory {
        type Message: DerefMut<Target = [u8]>;
        type Queue: Queue<Self::Message>;
        /// Returns None if the memory is full.
        fn begin(&self, length: u8) -> Option<Self::Message>;
        fn queue(&self) -> Self::Queue;
    }

    pub trait Queue<M> {
        fn push(&mut self, message: M);
        fn pop(&mut self) -> Option<M>;
    }

    impl<'region> Memory for &'region Region<'_> {
        type Message = RegionBox<'region, [u8]>;
        type Queue = Ring<Self::Message>;

        fn begin(&self, length: u8) -> Option<Self::Message> {
            self.try_alloc_slice_with(length.into(), |_| 0).ok()
        }
        fn queue(&self) -> Self::Queue {
            Ring { slots: array::from_fn(|_| None), first: 0, len: 0 }
        }
    }

    /// A queue in itself. Dropping a message frees its block.
    pub struct Ring<M> {
        slots: [Option<M>; MOST_WAITING + 1],
        first: usize,
        len: usize,
    }

    impl<M> Queue<M> for Ring<M> {
        fn push(&mut self, message: M) {
            self.slots[(self.first + self.len) % self.slots.len()] = Some(message);
            self.len += 1;
        }
        fn pop(&mut self) -> Option<M> {
            let message = self.slots[self.first].take()?;
            self.first = (self.first + 1) % self.slots.len();
            self.len -= 1;
            Some(message)
        }
    }

    enum State<M> {
        Idle,
        Priority,
        Length { priority: usize },
        Contents { priority: usize, message: M, received: usize, sum: u8 },
    }

    /// Parses packets byte by byte: 0x7E, priority, length, contents, sum of the contents. If too
    /// many messages wait, the oldest one of the lowest priority is dropped.
    pub struct Device<M: Memory> {
        memory: M,
        queues: [M::Queue; PRIORITIES],
        state: State<M::Message>,
        pub waiting: usize,
        pub sent: u64,
        pub dropped: u64,
        pub corrupt: u64,
        pub refused: u64,
        pub checksum: u64,
    }

    impl<M: Memory> Device<M> {
        pub fn new(memory: M) -> Self {
            let queues = array::from_fn(|_| memory.queue());
            let (waiting, sent, dropped, corrupt, refused, checksum) = (0, 0, 0, 0, 0, 0);
            let state = State::Idle;
            Self { memory, queues, state, waiting, sent, dropped, corrupt, refused, checksum }
        }

        pub fn receive(&mut self, byte: u8) {
            let next = match &mut self.state {
                State::Idle if byte == 0x7e => State::Priority,
                State::Idle => State::Idle,
                State::Priority => State::Length { priority: byte as usize % PRIORITIES },
                State::Length { .. } if byte == 0 => State::Idle,
                State::Length { priority } => match self.memory.begin(byte) {
                    Some(message) => {
                        State::Contents { priority: *priority, message, received: 0, sum: 0 }
                    }
                    None => {
                        self.refused += 1;
                        State::Idle
                    }
                },
                State::Contents { message, received, sum, .. } if *received < message.len() => {
                    message[*received] = byte;
                    *received += 1;
                    *sum = sum.wrapping_add(byte);
                    return;
                }
                State::Contents { .. } => State::Idle,
            };
            match core::mem::replace(&mut self.state, next) {
                State::Contents { priority, message, sum, .. } if byte == sum => {
                    self.queues[priority].push(message);
                    self.waiting += 1;
                }
                State::Contents { .. } => self.corrupt += 1,
                _ => return,
            }
            if self.waiting > MOST_WAITING && self.queues.iter_mut().find_map(Queue::pop).is_some()
            {
                self.waiting -= 1;
                self.dropped += 1;
            }
        }

        /// Sends the oldest message of the highest priority, if one waits.
        pub fn send(&mut self) {
            let Some(message) = self.queues.iter_mut().rev().find_map(Queue::pop) else { return };
            let mix = |sum: u64, byte: &u8| sum.wrapping_mul(31).wrapping_add(u64::from(*byte));
            self.checksum = message.iter().fold(self.checksum, mix);
            self.waiting -= 1;
            self.sent += 1;
        }
    }
}

// The same with the standard library, on a device that has a heap.
struct Global;

impl device::Memory for Global {
    type Message = Box<[u8]>;
    type Queue = VecDeque<Box<[u8]>>;

    fn begin(&self, length: u8) -> Option<Box<[u8]>> {
        Some(vec![0; length.into()].into())
    }
    fn queue(&self) -> VecDeque<Box<[u8]>> {
        VecDeque::new()
    }
}

impl<M> device::Queue<M> for VecDeque<M> {
    fn push(&mut self, message: M) {
        self.push_back(message);
    }
    fn pop(&mut self) -> Option<M> {
        self.pop_front()
    }
}

/// Packets of up to 60 bytes, a few of them corrupt, come a little faster than they can be sent.
fn run<M: device::Memory>(memory: M, packets: usize) -> Results {
    let mut radio = device::Device::new(memory);
    let mut random = 1u32;
    let mut next = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        random >> 16
    };
    for i in 0..packets {
        let length = 1 + (next() % 60) as u8;
        radio.receive(0x7e);
        radio.receive((next() % 7) as u8);
        radio.receive(length);
        let mut sum = 0u8;
        for k in 0..length as usize {
            let byte = (i + k) as u8;
            radio.receive(byte);
            sum = sum.wrapping_add(byte);
        }
        radio.receive(sum.wrapping_add(u8::from(next() % 100 == 0)));
        if next() % 20 != 0 {
            radio.send();
        }
    }
    vec![
        same("messages sent", radio.sent),
        same("messages dropped", radio.dropped),
        same("corrupt packets", radio.corrupt),
        same("messages refused", radio.refused),
        same("checksum", radio.checksum),
    ]
}

/// The linker reserves all memory: if the program fits, it runs.
static MEMORY: Mutex<(RegionControl, [MaybeUninit<u8>; 8192])> =
    Mutex::new((RegionControl::new(), [MaybeUninit::uninit(); 8192]));

struct EmbeddedRegion;

impl Example for EmbeddedRegion {
    const MEASURED: usize = 4_000_000;
    const SHOWN: usize = 20_000;

    fn std_form(packets: usize) -> Results {
        run(Global, packets)
    }
    fn heapsmith_form(packets: usize) -> Results {
        let mut memory = MEMORY.lock().expect("nobody else uses it");
        let (control, buffer) = &mut *memory;
        run(&heapsmith::Region::with_control(control, buffer), packets)
    }
}

fn main() -> ExitCode {
    measured::main::<EmbeddedRegion>("embedded-region-rust")
}
