//! The generics of structs that borrow rows, and the replacement of `Self` in them.

use proc_macro2::{Group, Spacing, TokenStream as Tokens, TokenTree};
use quote::quote;
use syn::{
    DeriveInput, Error, GenericParam, Generics, LifetimeParam, TypeParamBound, parse_quote, parse2,
};

use crate::row::Row;

/// The row's generics, preceded by the lifetime of the borrow.
pub(crate) fn with_lifetime(row: &Row) -> Generics {
    let (mut generics, life) = (row.input.generics.clone(), &row.life);
    let own: LifetimeParam = parse_quote!(#life);
    generics.params.insert(0, GenericParam::Lifetime(own));
    generics
}

/// The same, with the bound that all others outlive that lifetime, which a struct of references
/// requires.
pub(crate) fn outliving(row: &Row) -> Generics {
    let mut generics = with_lifetime(row);
    for parameter in generics.params.iter_mut().skip(1) {
        match parameter {
            GenericParam::Type(ty) => ty.bounds.push(TypeParamBound::Lifetime(row.life.clone())),
            GenericParam::Lifetime(other) => other.bounds.push(row.life.clone()),
            GenericParam::Const(_) => {}
        }
    }
    generics
}

/// The row's generics, and a parameter for the fields that the row has in the hidden trait.
pub(crate) fn with_fields(row: &Row) -> Generics {
    let Row { input, hidden, parameter, .. } = row;
    let (krate, name, mut generics) =
        (row.attributes.krate(), &input.ident, input.generics.clone());
    let (_, arguments, _) = input.generics.split_for_impl();
    generics.params.push(parse_quote!(#parameter: #krate::soa::Columns));
    let bounds = generics.make_where_clause();
    bounds.predicates.push(parse_quote!(#name #arguments: #hidden<Fields = #parameter>));
    generics
}

/// The row with its own name in place of `Self`, which would be another type in the views.
pub(crate) fn without_self(row: &DeriveInput, tokens: Tokens) -> Result<DeriveInput, Error> {
    let name = &row.ident;
    let (_, arguments, _) = row.generics.split_for_impl();
    parse2(named(tokens, &quote!(#name #arguments)))
}

/// Replaces `Self` by `name`, or by `<name>` in front of a path.
fn named(tokens: Tokens, name: &Tokens) -> Tokens {
    let mut tokens = tokens.into_iter().peekable();
    let mut out = Tokens::new();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(word) if word == "Self" => {
                // `Self::Item`, and not `Self: Sized`.
                let is_path = matches!(tokens.peek(), Some(TokenTree::Punct(p))
                    if p.as_char() == ':' && p.spacing() == Spacing::Joint);
                out.extend(if is_path { quote!(<#name>) } else { name.clone() });
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), named(group.stream(), name));
                inner.set_span(group.span());
                out.extend([TokenTree::Group(inner)]);
            }
            other => out.extend([other]),
        }
    }
    out
}
