//! `#[derive(Soa)]`, for rows that a `heapsmith::SoaPool` splits into columns.
//!
//! For a struct, the macro defines four structs with the same fields, each a reference or a slice,
//! and implements `heapsmith::Soa`. The code has no `unsafe`.

mod attributes;
mod generics;
mod implementation;
mod names;
mod views;

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{
    Data, DataStruct, DeriveInput, Error, Field, Fields, Ident, Lifetime, Member, parse_macro_input,
};

use attributes::Attributes;
use names::Names;
use views::View;

/// The number of fields of the largest tuple that is a row.
const MOST_FIELDS: usize = 16;

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

/// The input of the expansion.
struct Row<'a> {
    input: &'a DeriveInput,
    is_tuple: bool,
    fields: Vec<&'a Field>,
    /// The names of the fields, which are numbers in a tuple struct.
    names: Vec<Member>,
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
    let data = struct_of(input)?;
    let fields: Vec<&Field> = data.fields.iter().collect();
    let row = Row {
        input,
        is_tuple: matches!(data.fields, Fields::Unnamed(_)),
        names: data.fields.members().collect(),
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

fn struct_of(input: &DeriveInput) -> Result<&DataStruct, Error> {
    let refuse = |why: &str| Err(Error::new_spanned(&input.ident, why));
    let Data::Struct(data) = &input.data else {
        return refuse("only a struct can be split into columns");
    };
    match data.fields.len() {
        0 => refuse("a row without fields has no columns"),
        1..=MOST_FIELDS => Ok(data),
        _ => refuse("a row has at most 16 columns: combine fields that are used together"),
    }
}
