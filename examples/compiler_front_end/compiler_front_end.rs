//! The front end of a compiler: lexer, parser and constant folding, over a tree in an arena. No node
//! is freed alone, and the next unit uses the memory of the last one.

use std::ops::DerefMut;
use std::process::ExitCode;

use heapsmith::Arena;
use measured::{Example, Results, same};

/// A node of the tree; `F` says how nodes refer to each other. Names lie in the source.
struct Node<'t, F: Form + 't> {
    /// `#` number, `a` name, `(` call, or an operator.
    kind: u8,
    value: u64,
    name: &'t str,
    /// Of a call: the first argument.
    left: Option<F::Pointer<'t>>,
    right: Option<F::Pointer<'t>>,
    /// The next argument of the same call.
    next: Option<F::Pointer<'t>>,
}

impl<'t, F: Form> Node<'t, F> {
    fn leaf(kind: u8, value: u64, name: &'t str) -> Self {
        Self { kind, value, name, left: None, right: None, next: None }
    }
    fn binary(kind: u8, left: F::Pointer<'t>, right: F::Pointer<'t>) -> Self {
        Self { left: Some(left), right: Some(right), ..Self::leaf(kind, 0, "") }
    }
    fn children(&self) -> impl Iterator<Item = &Self> {
        [&self.left, &self.right, &self.next].into_iter().filter_map(|child| child.as_deref())
    }
    fn children_mut(&mut self) -> impl Iterator<Item = &mut Self> {
        let all = [&mut self.left, &mut self.right, &mut self.next];
        all.into_iter().filter_map(|child| child.as_deref_mut())
    }
}

trait Form: Default {
    type Pointer<'t>: DerefMut<Target = Node<'t, Self>>
    where
        Self: 't;
    fn make<'t>(&'t self, node: Node<'t, Self>) -> Self::Pointer<'t>;
    fn end_unit(&mut self);
}

// To copy: nodes are plain structures in an arena, and nobody owns them.
#[derive(Default)]
struct HeapsmithForm {
    memory: Arena,
}

impl Form for HeapsmithForm {
    type Pointer<'t> = &'t mut Node<'t, Self>;

    fn make<'t>(&'t self, node: Node<'t, Self>) -> &'t mut Node<'t, Self> {
        self.memory.alloc(node)
    }

    /// Ends all trees: the compiler refuses this while one is in use. The arena keeps its memory.
    fn end_unit(&mut self) {
        self.memory.reset();
    }
}

// The same with the standard library: each node owns those that it refers to.
#[derive(Default)]
struct StdForm;

impl Form for StdForm {
    type Pointer<'t> = Box<Node<'t, Self>>;

    fn make<'t>(&'t self, node: Node<'t, Self>) -> Box<Node<'t, Self>> {
        Box::new(node)
    }
    fn end_unit(&mut self) {}
}

/// unit = { name "=" sum ";" }, sum = product { ("+" | "-") product },
/// product = factor { "*" factor }, factor = number | name [ "(" sum { "," sum } ")" ] |
/// "(" sum ")".
struct Parser<'t, F> {
    form: &'t F,
    text: &'t str,
    token: &'t str,
    kind: u8,
}

impl<'t, F: Form> Parser<'t, F> {
    fn unit(&mut self) -> Vec<F::Pointer<'t>> {
        let mut definitions = Vec::new();
        while self.kind != 0 {
            self.expect(b'a');
            self.expect(b'=');
            definitions.push(self.sum());
            self.expect(b';');
        }
        definitions
    }

    /// The lexer: one token ahead.
    fn advance(&mut self) {
        let text = self.text.trim_start_matches(' ');
        let is_part = |c: &u8| c.is_ascii_alphanumeric();
        self.kind = text.bytes().next().unwrap_or(0);
        let mut length = text.len().min(1);
        if is_part(&self.kind) {
            length = text.bytes().take_while(is_part).count();
            self.kind = if self.kind <= b'9' { b'#' } else { b'a' };
        }
        (self.token, self.text) = text.split_at(length);
    }
    fn accept(&mut self, kind: u8) -> bool {
        let found = self.kind == kind;
        if found {
            self.advance();
        }
        found
    }
    fn expect(&mut self, kind: u8) {
        assert!(self.accept(kind), "syntax error at {}", self.token);
    }

    fn sum(&mut self) -> F::Pointer<'t> {
        let mut left = self.product();
        while let kind @ (b'+' | b'-') = self.kind {
            self.advance();
            left = self.form.make(Node::binary(kind, left, self.product()));
        }
        left
    }
    fn product(&mut self) -> F::Pointer<'t> {
        let mut left = self.factor();
        while self.accept(b'*') {
            left = self.form.make(Node::binary(b'*', left, self.factor()));
        }
        left
    }
    fn factor(&mut self) -> F::Pointer<'t> {
        if self.accept(b'(') {
            let inner = self.sum();
            self.expect(b')');
            return inner;
        }
        let token = self.token;
        if self.accept(b'#') {
            let value = token.parse().expect("a number is of digits");
            return self.form.make(Node::leaf(b'#', value, ""));
        }
        self.expect(b'a');
        if !self.accept(b'(') {
            return self.form.make(Node::leaf(b'a', 0, token));
        }
        let mut call = self.form.make(Node::leaf(b'(', 0, token));
        let mut end = &mut call.left;
        loop {
            end = &mut end.insert(self.sum()).next;
            if !self.accept(b',') {
                break;
            }
        }
        self.expect(b')');
        call
    }
}

/// Replaces operations on numbers by their results. Returns how many.
fn fold<F: Form>(node: &mut Node<F>) -> u64 {
    let count = node.children_mut().map(|child| fold(child)).sum();
    let (Some(left), Some(right)) = (&node.left, &node.right) else { return count };
    if (left.kind, right.kind) != (b'#', b'#') {
        return count;
    }
    node.value = match node.kind {
        b'+' => left.value.wrapping_add(right.value),
        b'-' => left.value.wrapping_sub(right.value),
        _ => left.value.wrapping_mul(right.value),
    };
    node.kind = b'#';
    (node.left, node.right) = (None, None);
    count + 1
}

/// Returns a number that depends on every node that is left.
fn checksum<F: Form>(node: &Node<F>) -> u64 {
    let own = u64::from(node.kind).wrapping_add(node.value).wrapping_add(node.name.len() as u64);
    node.children().fold(own, |sum, child| sum.wrapping_mul(31).wrapping_add(checksum(child)))
}

fn source() -> String {
    let line = |n| format!("f{n} = ({n} + 2 * 3) * x - g(y, 4 * (5 - 2), h(z)) + {n} * 7;  ");
    (0..2000).map(line).collect()
}

fn compile<F: Form>(units: usize) -> Results {
    let text = source();
    let mut form = F::default();
    let (mut definitions, mut folded, mut sum) = (0, 0, 0u64);
    for _ in 0..units {
        let mut parser = Parser { form: &form, text: &text, token: "", kind: 0 };
        parser.advance();
        for mut tree in parser.unit() {
            definitions += 1;
            folded += fold(&mut tree);
            sum = sum.wrapping_add(checksum(&tree));
        }
        form.end_unit();
    }
    vec![same("definitions", definitions), same("operations folded", folded), same("checksum", sum)]
}

struct CompilerFrontEnd;

impl Example for CompilerFrontEnd {
    const MEASURED: usize = 300;
    const SHOWN: usize = 3;

    fn std_form(units: usize) -> Results {
        compile::<StdForm>(units)
    }
    fn heapsmith_form(units: usize) -> Results {
        compile::<HeapsmithForm>(units)
    }
}

fn main() -> ExitCode {
    measured::main::<CompilerFrontEnd>("compiler-front-end-rust")
}
