//! The values of a pickle, in one arena.

use std::collections::HashMap;
use std::mem::size_of;
use std::rc::Rc;

/// A value, or the number of one in the arena.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(u32),
    /// A list, or a tuple.
    List(u32),
    Dict(u32),
}

/// All values of a pickle. `limit` bounds the memory they take together.
pub struct Values {
    texts: Vec<Rc<str>>,
    known: HashMap<Rc<str>, u32>,
    lists: Vec<Vec<Value>>,
    dicts: Vec<Vec<(Value, Value)>>,
    left: usize,
}

/// The memory that was allowed is used up.
#[derive(Debug)]
pub struct Full;

/// Of a text: its bytes, two references, an entry of the table.
const TEXT_BYTES: usize = 96;

impl Values {
    pub fn within(limit: usize) -> Self {
        Self {
            texts: Vec::new(),
            known: HashMap::new(),
            lists: Vec::new(),
            dicts: Vec::new(),
            left: limit,
        }
    }

    pub fn charge(&mut self, bytes: usize) -> Result<(), Full> {
        self.left = self.left.checked_sub(bytes).ok_or(Full)?;
        Ok(())
    }

    /// The same text twice is one value.
    pub fn text(&mut self, text: &str) -> Result<Value, Full> {
        if let Some(&at) = self.known.get(text) {
            return Ok(Value::Text(at));
        }
        self.charge(text.len() + TEXT_BYTES)?;
        let at = self.texts.len() as u32;
        let kept: Rc<str> = text.into();
        self.texts.push(kept.clone());
        self.known.insert(kept, at);
        Ok(Value::Text(at))
    }

    pub fn list(&mut self, items: Vec<Value>) -> Result<Value, Full> {
        self.charge(size_of::<Vec<Value>>() + size_of_val(items.as_slice()))?;
        self.lists.push(items);
        Ok(Value::List(self.lists.len() as u32 - 1))
    }

    pub fn dict(&mut self) -> Result<Value, Full> {
        self.charge(size_of::<Vec<(Value, Value)>>())?;
        self.dicts.push(Vec::new());
        Ok(Value::Dict(self.dicts.len() as u32 - 1))
    }

    /// A vector that grows may be twice as long as what it holds.
    pub fn extend_list(&mut self, at: u32, items: &[Value]) -> Result<(), Full> {
        self.charge(2 * size_of_val(items))?;
        self.lists[at as usize].extend_from_slice(items);
        Ok(())
    }

    pub fn extend_dict(&mut self, at: u32, pairs: &[Value]) -> Result<(), Full> {
        self.charge(2 * size_of_val(pairs))?;
        let dict = &mut self.dicts[at as usize];
        dict.reserve(pairs.len() / 2);
        dict.extend(pairs.chunks_exact(2).map(|pair| (pair[0], pair[1])));
        Ok(())
    }

    /// The text `value`, if it is one.
    pub fn as_text(&self, value: Value) -> Option<&str> {
        match value {
            Value::Text(at) => Some(&self.texts[at as usize]),
            _ => None,
        }
    }

    /// The items of the list or tuple `value`.
    pub fn as_list(&self, value: Value) -> Option<&[Value]> {
        match value {
            Value::List(at) => Some(&self.lists[at as usize]),
            _ => None,
        }
    }

    pub fn is_dict(&self, value: Value) -> bool {
        matches!(value, Value::Dict(_))
    }

    /// The pairs of the dict `value`; none if it is something else.
    pub fn pairs(&self, value: Value) -> &[(Value, Value)] {
        match value {
            Value::Dict(at) => &self.dicts[at as usize],
            _ => &[],
        }
    }

    /// The value of a key, which must be a text. The last one counts, as in Python.
    pub fn get(&self, dict: Value, key: &str) -> Option<Value> {
        let key = Value::Text(*self.known.get(key)?);
        self.pairs(dict).iter().rev().find(|pair| pair.0 == key).map(|pair| pair.1)
    }
}
