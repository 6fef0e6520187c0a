//! The attribute `#[soa(…)]`.

use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{
    Attribute, DeriveInput, Error, Field, Path, Token, parenthesized, punctuated::Punctuated,
};

#[derive(Default)]
pub(crate) struct Attributes {
    krate: Option<Path>,
    /// For rows by reference, and for columns.
    derives: Vec<Path>,
    column_derives: Vec<Path>,
}

impl Attributes {
    pub(crate) fn of(input: &DeriveInput) -> Result<Self, Error> {
        let mut found = Self::default();
        for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("soa")) {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("crate") {
                    found.krate = Some(meta.value()?.parse()?);
                } else if meta.path.is_ident("derive") || meta.path.is_ident("derive_columns") {
                    let list;
                    parenthesized!(list in meta.input);
                    let paths = Punctuated::<Path, Token![,]>::parse_terminated_with(
                        &list,
                        Path::parse_mod_style,
                    )?;
                    if meta.path.is_ident("derive") {
                        found.derives.extend(paths);
                    } else {
                        found.column_derives.extend(paths);
                    }
                } else {
                    return Err(
                        meta.error("expected `derive(…)`, `derive_columns(…)` or `crate = path`")
                    );
                }
                Ok(())
            })?;
        }
        Ok(found)
    }

    /// The path of the crate `heapsmith`.
    pub(crate) fn krate(&self) -> Tokens {
        self.krate.as_ref().map_or_else(|| quote!(::heapsmith), |path| quote!(#path))
    }

    /// The `#[derive(…)]` of rows by reference, or of columns.
    pub(crate) fn derives(&self, is_row: bool) -> Tokens {
        let derives = if is_row { &self.derives } else { &self.column_derives };
        quote!(#[derive(#(#derives),*)])
    }
}

/// The documentation of a field.
pub(crate) fn docs(field: &Field) -> impl Iterator<Item = &Attribute> {
    field.attrs.iter().filter(|attribute| attribute.path().is_ident("doc"))
}
