//! Names that the struct does not use.

use std::collections::HashSet;

use proc_macro2::{Span, TokenStream as Tokens, TokenTree};
use syn::{Ident, Lifetime};

/// The names in the definition of a struct; lifetimes begin with `'`.
pub(crate) struct Names(HashSet<String>);

impl Names {
    pub(crate) fn in_tokens(tokens: Tokens) -> Self {
        let mut found = Self(HashSet::new());
        found.add(tokens);
        found
    }

    fn add(&mut self, tokens: Tokens) {
        let mut mark = "";
        for token in tokens {
            let is_mark = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '\'');
            match token {
                TokenTree::Ident(name) => _ = self.0.insert(format!("{mark}{name}")),
                TokenTree::Group(group) => self.add(group.stream()),
                _ => {}
            }
            mark = if is_mark { "'" } else { "" };
        }
    }

    /// The name, with as many underscores at its end as make it unused.
    fn changed(&self, name: &str) -> String {
        let mut name = String::from(name);
        while self.0.contains(&name) {
            name.push('_');
        }
        name
    }

    pub(crate) fn unused(&self, name: &str) -> Ident {
        Ident::new(&self.changed(name), Span::call_site())
    }

    pub(crate) fn unused_lifetime(&self, name: &str) -> Lifetime {
        Lifetime::new(&self.changed(name), Span::call_site())
    }
}
