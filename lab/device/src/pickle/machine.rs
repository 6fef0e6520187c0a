//! The machine of a pickle: a stack, marks in it, and a memo of values.

use std::io::{self, BufRead};
use std::mem::size_of;

use super::bytes::{Bytes, Stop};
use super::values::{Full, Value, Values};

/// No text of a snapshot is longer. Its settings and names of frames are texts.
const LONGEST_TEXT: u64 = 1 << 20;

/// Why a pickle was not read.
#[derive(Debug)]
pub enum Refusal {
    Io(io::Error),
    /// The fault, and the byte at which it is.
    Wrong(String),
}

impl From<Stop> for Refusal {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::End => wrong("it ends in the middle of the pickle; was it cut off?"),
            Stop::Io(error) => Self::Io(error),
        }
    }
}

impl From<Full> for Refusal {
    fn from(_: Full) -> Self {
        wrong("its values need more memory than a snapshot may take")
    }
}

fn wrong(what: impl Into<String>) -> Refusal {
    Refusal::Wrong(what.into())
}

type Done<T = ()> = Result<T, Refusal>;

struct Machine<R> {
    input: Bytes<R>,
    values: Values,
    stack: Vec<Value>,
    /// How long the stack was at each open mark.
    marks: Vec<usize>,
    memo: Vec<Value>,
}

/// Reads a pickle of protocol 2 to 5. Its values take at most `limit` bytes.
///
/// Errors: it is cut off, has an opcode that makes an object, or is too large.
pub fn read(from: impl BufRead, limit: usize) -> Result<(Values, Value), Refusal> {
    let mut machine = Machine {
        input: Bytes::new(from),
        values: Values::within(limit),
        stack: Vec::new(),
        marks: Vec::new(),
        memo: Vec::new(),
    };
    let begin = machine.input.array::<2>();
    if !matches!(begin, Ok([0x80, 2..=5])) {
        if let Err(Stop::Io(error)) = begin {
            return Err(Refusal::Io(error));
        }
        return Err(wrong("it is not a pickle of protocol 2 to 5"));
    }
    loop {
        let at = machine.input.at;
        let op = machine.input.byte()?;
        if op == b'.' {
            let value = machine.pop()?;
            return Ok((machine.values, value));
        }
        machine.step(op).map_err(|refusal| match refusal {
            Refusal::Wrong(what) => Refusal::Wrong(format!("{what} (byte {at} of the pickle)")),
            other => other,
        })?;
    }
}

impl<R: BufRead> Machine<R> {
    fn push(&mut self, value: Value) -> Done {
        if self.stack.len() == self.stack.capacity() {
            self.values.charge(size_of::<Value>() * self.stack.len().max(16))?;
        }
        self.stack.push(value);
        Ok(())
    }

    fn pop(&mut self) -> Done<Value> {
        if self.marks.last().is_some_and(|&mark| self.stack.len() <= mark) {
            return Err(wrong("a value is missing behind a mark"));
        }
        self.stack.pop().ok_or_else(|| wrong("a value is missing"))
    }

    fn last(&self) -> Done<Value> {
        self.stack.last().copied().ok_or_else(|| wrong("a value is missing"))
    }

    fn since_mark(&mut self) -> Done<Vec<Value>> {
        let mark = self.marks.pop().ok_or_else(|| wrong("a mark is missing"))?;
        Ok(self.stack.split_off(mark))
    }

    fn text(&mut self, bytes: u64) -> Done {
        if bytes > LONGEST_TEXT {
            return Err(wrong(format!("a text of {bytes} bytes is too long")));
        }
        let bytes = self.input.vector(bytes)?;
        let text = self.values.text(&String::from_utf8_lossy(&bytes))?;
        self.push(text)
    }

    fn tuple(&mut self, length: usize) -> Done {
        let mut items = vec![Value::None; length];
        for item in items.iter_mut().rev() {
            *item = self.pop()?;
        }
        let tuple = self.values.list(items)?;
        self.push(tuple)
    }

    /// A number of up to 8 bytes, with its sign. Snapshots have no larger one.
    fn long(&mut self, bytes: u64) -> Done {
        if bytes > 9 {
            return Err(wrong(format!("a number of {bytes} bytes is too large")));
        }
        let mut bytes = self.input.vector(bytes)?;
        if bytes.len() == 9 && bytes.pop() != Some(0) {
            return Err(wrong("a number of more than 8 bytes is too large"));
        }
        let fill = if bytes.last().is_some_and(|&last| last >= 0x80) { 0xFF } else { 0 };
        let mut all = [fill; 8];
        all[..bytes.len()].copy_from_slice(&bytes);
        self.push(Value::Int(i64::from_le_bytes(all)))
    }

    fn append(&mut self, items: &[Value]) -> Done {
        match self.last()? {
            Value::List(at) => Ok(self.values.extend_list(at, items)?),
            _ => Err(wrong("items go into something that is no list")),
        }
    }

    fn set(&mut self, pairs: &[Value]) -> Done {
        match self.last()? {
            Value::Dict(at) if pairs.len() % 2 == 0 => Ok(self.values.extend_dict(at, pairs)?),
            _ => Err(wrong("pairs go into something that is no dict")),
        }
    }

    /// Numbers of the memo follow each other. One far beyond them is damage.
    fn put(&mut self, at: u64) -> Done {
        let value = self.last()?;
        match usize::try_from(at) {
            Ok(at) if at < self.memo.len() => self.memo[at] = value,
            Ok(at) if at == self.memo.len() => {
                self.values.charge(2 * size_of::<Value>())?;
                self.memo.push(value);
            }
            _ => return Err(wrong("the memo has a gap")),
        }
        Ok(())
    }

    fn get(&mut self, at: u64) -> Done {
        let value = usize::try_from(at).ok().and_then(|at| self.memo.get(at)).copied();
        self.push(value.ok_or_else(|| wrong("the memo lacks a value"))?)
    }

    fn mark(&mut self) -> Done {
        if self.marks.len() == self.marks.capacity() {
            self.values.charge(size_of::<usize>() * self.marks.len().max(16))?;
        }
        self.marks.push(self.stack.len());
        Ok(())
    }

    fn step(&mut self, op: u8) -> Done {
        match op {
            0x95 => self.input.u64().map(drop)?, // a frame, which says how much to read ahead
            b'(' => self.mark()?,
            b'0' => self.pop().map(drop)?,
            b'1' => self.since_mark().map(drop)?,
            b'N' => self.push(Value::None)?,
            0x88 => self.push(Value::Bool(true))?,
            0x89 => self.push(Value::Bool(false))?,
            b'J' => {
                let number = i32::from_le_bytes(self.input.array()?);
                self.push(Value::Int(number.into()))?;
            }
            b'K' => {
                let number = self.input.byte()?;
                self.push(Value::Int(number.into()))?;
            }
            b'M' => {
                let number = self.input.u16()?;
                self.push(Value::Int(number as i64))?;
            }
            0x8A => {
                let bytes = self.input.byte()?;
                self.long(bytes.into())?;
            }
            b'G' => {
                let number = f64::from_be_bytes(self.input.array()?);
                self.push(Value::Float(number))?;
            }
            _ => self.step_of_containers(op)?,
        }
        Ok(())
    }

    fn step_of_containers(&mut self, op: u8) -> Done {
        match op {
            0x8C | b'C' => {
                let bytes = self.input.byte()?;
                self.text(bytes.into())
            }
            b'X' | b'B' => {
                let bytes = self.input.u32()?;
                self.text(bytes)
            }
            0x8D | 0x8E => {
                let bytes = self.input.u64()?;
                self.text(bytes)
            }
            b']' | b')' => self.tuple(0),
            0x85..=0x87 => self.tuple((op - 0x84).into()),
            b't' | b'l' => {
                let items = self.since_mark()?;
                let list = self.values.list(items)?;
                self.push(list)
            }
            b'}' => {
                let dict = self.values.dict()?;
                self.push(dict)
            }
            b'd' => {
                let pairs = self.since_mark()?;
                let dict = self.values.dict()?;
                self.push(dict)?;
                self.set(&pairs)
            }
            b'a' => {
                let item = self.pop()?;
                self.append(&[item])
            }
            b'e' => {
                let items = self.since_mark()?;
                self.append(&items)
            }
            b's' => {
                let value = self.pop()?;
                let key = self.pop()?;
                self.set(&[key, value])
            }
            b'u' => {
                let pairs = self.since_mark()?;
                self.set(&pairs)
            }
            _ => self.step_of_memo(op),
        }
    }

    fn step_of_memo(&mut self, op: u8) -> Done {
        match op {
            0x94 => self.put(self.memo.len() as u64),
            b'q' => {
                let at = self.input.byte()?;
                self.put(at.into())
            }
            b'r' => {
                let at = self.input.u32()?;
                self.put(at)
            }
            b'h' => {
                let at = self.input.byte()?;
                self.get(at.into())
            }
            b'j' => {
                let at = self.input.u32()?;
                self.get(at)
            }
            b'c' | b'R' | b'i' | b'o' | b'b' | b'P' | b'Q' | 0x81..=0x84 | 0x92 | 0x93 => {
                Err(wrong(format!(
                    "opcode 0x{op:02x} makes an object or calls Python code; nothing was run"
                )))
            }
            op => Err(wrong(format!("unknown opcode 0x{op:02x}"))),
        }
    }
}
