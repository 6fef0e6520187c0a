//! The attribute `#[soa(…)]`.

use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, DeriveInput, Error, Field, Ident, Meta, Path, Token, parenthesized};

use crate::view::View;

#[derive(Default)]
pub(crate) struct Attributes {
    krate: Option<Path>,
    /// The names of the structs, where they are not to be the usual ones.
    names: Vec<(View, Ident)>,
    /// For rows by reference, and for columns.
    rows: Passed,
    columns: Passed,
}

/// Derives and attributes for some of the structs that the macro defines.
#[derive(Default)]
struct Passed {
    derives: Vec<Path>,
    attributes: Vec<Tokens>,
}

impl Attributes {
    pub(crate) fn of(input: &DeriveInput) -> Result<Self, Error> {
        let mut found = Self::default();
        found.read(&input.attrs, true)?;
        Ok(found)
    }

    /// The attributes of a field, which has no `derive` and no `crate`.
    pub(crate) fn of_field(field: &Field) -> Result<Self, Error> {
        let mut found = Self::default();
        found.read(&field.attrs, false)?;
        Ok(found)
    }

    fn read(&mut self, attributes: &[Attribute], is_struct: bool) -> Result<(), Error> {
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("soa")) {
            attribute.parse_nested_meta(|meta| {
                let is = |name| meta.path.is_ident(name);
                let named = View::ALL.into_iter().find(|view| is(view.attribute()));
                if is_struct && is("crate") {
                    self.krate = Some(meta.value()?.parse()?);
                } else if let Some(view) = named.filter(|_| is_struct) {
                    self.names.push((view, meta.value()?.parse()?));
                } else if is_struct && (is("derive") || is("derive_columns")) {
                    let passed = if is("derive") { &mut self.rows } else { &mut self.columns };
                    passed.derives.extend(list(meta.input, Path::parse_mod_style)?);
                } else if is("attr") || is("attr_columns") {
                    let passed = if is("attr") { &mut self.rows } else { &mut self.columns };
                    let metas = list(meta.input, Meta::parse)?;
                    passed.attributes.extend(metas.iter().map(|meta| quote!(#[#meta])));
                } else if is_struct {
                    return Err(meta.error(
                        "expected `derive(…)`, `derive_columns(…)`, `attr(…)`, `attr_columns(…)`, \
                         `ref = Name`, `mut = Name`, `columns = Name`, `columns_mut = Name` or \
                         `crate = path`",
                    ));
                } else {
                    return Err(meta.error("expected `attr(…)` or `attr_columns(…)`"));
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// The path of the crate `heapsmith`.
    pub(crate) fn krate(&self) -> Tokens {
        self.krate.as_ref().map_or_else(|| quote!(::heapsmith), |path| quote!(#path))
    }

    /// The name that the struct has been given.
    pub(crate) fn name_of(&self, view: View) -> Option<&Ident> {
        self.names.iter().find(|(named, _)| *named == view).map(|(_, name)| name)
    }

    /// The `#[derive(…)]` and other attributes of rows by reference, or of columns.
    pub(crate) fn passed_on(&self, is_row: bool) -> Tokens {
        let Passed { derives, attributes } = if is_row { &self.rows } else { &self.columns };
        let derive = (!derives.is_empty()).then(|| quote!(#[derive(#(#derives),*)]));
        quote!(#derive #(#attributes)*)
    }
}

/// A list in parentheses.
fn list<T>(input: ParseStream, item: fn(ParseStream) -> Result<T, Error>) -> Result<Vec<T>, Error> {
    let inner;
    parenthesized!(inner in input);
    let items = Punctuated::<T, Token![,]>::parse_terminated_with(&inner, item)?;
    Ok(items.into_iter().collect())
}

/// The documentation, and what silences lints about names, which the structs have in common.
pub(crate) fn docs_and_lints(attributes: &[Attribute], has_docs: bool) -> Vec<Tokens> {
    let of = |attribute: &Attribute| {
        let path = attribute.path();
        if path.is_ident("expect") {
            // The lint need not be triggered in each of the structs.
            let lints = attribute.meta.require_list().ok().map(|list| &list.tokens);
            return Some(quote!(#[allow(#lints)]));
        }
        let is_passed = path.is_ident("allow") || (has_docs && path.is_ident("doc"));
        is_passed.then(|| quote!(#attribute))
    };
    attributes.iter().filter_map(of).collect()
}
