//! `#[derive(Soa)]`, for rows that a `heapsmith::SoaPool` splits into columns.
//!
//! For a struct, the macro defines four structs with the same fields, each a reference or a slice,
//! and implements `heapsmith::Soa`. The code has no `unsafe`.

mod attributes;
mod generics;
mod implementation;
mod names;
mod row;
mod structs;
mod view;

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{DeriveInput, Error, parse_macro_input};

use names::Names;
use row::Row;
use view::View;

/// Implements `heapsmith::Soa` for a struct, which makes it a row for `heapsmith::SoaPool`. The
/// page of that trait describes the structs that the macro defines.
#[proc_macro_derive(Soa, attributes(soa))]
pub fn derive_soa(input: TokenStream) -> TokenStream {
    let row = input.clone();
    let row = parse_macro_input!(row as DeriveInput);
    let input = Tokens::from(input);
    let names = Names::in_tokens(input.clone());
    generics::without_self(&row, input)
        .and_then(|row| expand(&row, &names))
        .unwrap_or_else(Error::into_compile_error)
        .into()
}

fn expand(input: &DeriveInput, used: &Names) -> Result<Tokens, Error> {
    let row = Row::of(input, used)?;
    let views = View::ALL.iter().map(|view| view.declare(&row)).collect::<Result<Vec<_>, _>>()?;
    let implementation = implementation::implement(&row);
    Ok(quote! {
        #(#views)*
        #implementation
    })
}
