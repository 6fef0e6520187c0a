//! `#[derive(Soa)]`, for rows that a `heapsmith::SoaPool` splits into columns.
//!
//! For a struct with named fields, the macro defines four structs with the same fields, each a
//! reference or a slice, and implements `heapsmith::Soa`. The code has no `unsafe`.

mod attributes;
mod generics;
mod implementation;
mod names;
mod views;

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{Data, DeriveInput, Error, Field, Fields, Ident, Lifetime, parse_macro_input};

use attributes::Attributes;
use names::Names;
use views::View;

/// The number of fields of the largest tuple that is a row.
const MOST_FIELDS: usize = 16;

/// Implements `heapsmith::Soa` for a struct with named fields, which makes it a row for
/// `heapsmith::SoaPool`. The page of that trait describes the structs that the macro defines.
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

/// The input of the expansion.
struct Row<'a> {
    input: &'a DeriveInput,
    fields: Vec<&'a Field>,
    names: Vec<&'a Ident>,
    /// The names of local variables, one for each field. A field's own name in a pattern would be a
    /// constant, a constant parameter or a unit struct, if there is one of that name.
    locals: Vec<Ident>,
    /// The trait that has the types of the fields, and a parameter that stands for them.
    hidden: Ident,
    parameter: Ident,
    attributes: Attributes,
    /// The lifetime of the borrow from the pool.
    life: Lifetime,
}

fn expand(input: &DeriveInput, used: &Names) -> Result<Tokens, Error> {
    let fields = named_fields(input)?;
    let row = Row {
        input,
        names: fields.iter().filter_map(|field| field.ident.as_ref()).collect(),
        locals: (0..fields.len()).map(|i| used.unused(&format!("__soa_field_{i}"))).collect(),
        hidden: used.unused("__SoaFields"),
        parameter: used.unused("__Fields"),
        fields,
        attributes: Attributes::of(input)?,
        life: used.unused_lifetime("'soa"),
    };
    let views = View::ALL.iter().map(|view| view.declare(&row)).collect::<Result<Vec<_>, _>>()?;
    let implementation = implementation::implement(&row);
    Ok(quote! {
        #(#views)*
        #implementation
    })
}

fn named_fields(input: &DeriveInput) -> Result<Vec<&Field>, Error> {
    let refuse = |why: &str| Err(Error::new_spanned(&input.ident, why));
    let Data::Struct(data) = &input.data else {
        return refuse("only a struct can be split into columns");
    };
    let Fields::Named(fields) = &data.fields else {
        return refuse("fields must have names, which are those of the columns");
    };
    match fields.named.len() {
        0 => refuse("a row without fields has no columns"),
        1..=MOST_FIELDS => Ok(fields.named.iter().collect()),
        _ => refuse("a row has at most 16 columns: combine fields that are used together"),
    }
}
