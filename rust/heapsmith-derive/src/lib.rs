//! `#[derive(Soa)]`, for rows that a `heapsmith::SoaPool` splits into columns.
//!
//! For a struct with named fields, the macro defines four structs with the same fields, each a
//! reference or a slice, and implements `heapsmith::Soa`. The code has no `unsafe`.

mod attributes;
mod generics;
mod views;

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Error, Field, Fields, Ident, Lifetime, parse_macro_input};

use attributes::Attributes;
use views::View;

/// The number of fields of the largest tuple that is a row.
const MOST_FIELDS: usize = 16;

/// Implements `heapsmith::Soa` for a struct with named fields, which makes it a row for
/// `heapsmith::SoaPool`. The page of that trait describes the structs that the macro defines.
#[proc_macro_derive(Soa, attributes(soa))]
pub fn derive_soa(input: TokenStream) -> TokenStream {
    let row = input.clone();
    let row = parse_macro_input!(row as DeriveInput);
    generics::without_self(&row, input.into())
        .and_then(|row| expand(&row))
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
    attributes: Attributes,
    /// The lifetime of the borrow from the pool.
    life: Lifetime,
}

fn expand(input: &DeriveInput) -> Result<Tokens, Error> {
    let fields = named_fields(input)?;
    let row = Row {
        input,
        names: fields.iter().filter_map(|field| field.ident.as_ref()).collect(),
        locals: (0..fields.len()).map(|i| format_ident!("__soa_field_{i}")).collect(),
        fields,
        attributes: Attributes::of(input)?,
        life: generics::unused_lifetime(&input.generics),
    };
    let views = View::ALL.iter().map(|view| view.declare(&row)).collect::<Result<Vec<_>, _>>()?;
    let implementation = implement(&row);
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

fn implement(row: &Row) -> Tokens {
    let Row { input, names, locals, life, .. } = row;
    let krate = row.attributes.krate();
    let name = &input.ident;
    let types = row.fields.iter().map(|field| &field.ty);
    let (impl_generics, type_generics, bounds) = input.generics.split_for_impl();
    let view_types = View::ALL.map(|view| {
        let (item, view_type) = (view.item(), view.type_of(row));
        quote!(type #item = #view_type;)
    });
    let view_functions = View::ALL.map(|view| {
        let (item, struct_name) = (view.item(), view.struct_name(row));
        let function = format_ident!("name_{}", view.function());
        let fields = row.fields.iter().map(|field| view.of_field(life, &field.ty));
        quote! {
            #[inline(always)]
            fn #function<#life>((#(#locals,)*): (#(#fields,)*)) -> #krate::soa::#item<#life, Self>
            where
                Self: #life,
            {
                #struct_name { #(#names: #locals),* }
            }
        }
    });
    let views_generics = generics::with_lifetime(row);
    let (views_generics, ..) = views_generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #views_generics #krate::soa::Views<#life> for #name #type_generics #bounds {
            #(#view_types)*
        }

        #[automatically_derived]
        impl #impl_generics #krate::Soa for #name #type_generics #bounds {
            type Fields = (#(#types,)*);

            #[inline(always)]
            fn into_fields(self) -> Self::Fields {
                let Self { #(#names: #locals),* } = self;
                (#(#locals,)*)
            }
            #[inline(always)]
            fn from_fields((#(#locals,)*): Self::Fields) -> Self {
                Self { #(#names: #locals),* }
            }
            #(#view_functions)*
        }
    }
}
