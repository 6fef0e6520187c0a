//! The four structs for a borrowed row or for borrowed columns.

use proc_macro2::TokenStream as Tokens;
use quote::{format_ident, quote};
use syn::{Error, Field, Ident, Lifetime, Type};

use crate::attributes::{self, Attributes};
use crate::generics;
use crate::row::Row;
use crate::view::View;

impl View {
    pub(crate) fn struct_name(self, row: &Row) -> Ident {
        if let Some(name) = row.attributes.name_of(self) {
            return name.clone();
        }
        let suffix = match self {
            Self::Ref => "Ref",
            Self::Mut => "Mut",
            Self::Slices => "Columns",
            Self::SlicesMut => "ColumnsMut",
        };
        format_ident!("{}{suffix}", row.input.ident)
    }

    /// The type of a field.
    fn of_field(self, life: &Lifetime, field: &Type) -> Tokens {
        match self {
            Self::Ref => quote!(&#life #field),
            Self::Mut => quote!(&#life mut #field),
            Self::Slices => quote!(&#life [#field]),
            Self::SlicesMut => quote!(&#life mut [#field]),
        }
    }

    /// The struct with its generic arguments.
    pub(crate) fn type_of(self, row: &Row) -> Tokens {
        let (name, generics) = (self.struct_name(row), generics::with_lifetime(row));
        let (_, arguments, _) = generics.split_for_impl();
        quote!(#name #arguments)
    }

    pub(crate) fn declare(self, row: &Row) -> Result<Tokens, Error> {
        let Row { input, life, .. } = row;
        let (visibility, name) = (&input.vis, self.struct_name(row));
        let generics = generics::outliving(row);
        let (impl_generics, arguments, bounds) = generics.split_for_impl();
        let field = |field: &&Field| {
            let passed = Attributes::of_field(field)?.passed_on(self.is_row());
            let common = attributes::docs_and_lints(&field.attrs, true);
            let (visibility, ty) = (&field.vis, self.of_field(life, &field.ty));
            let name = field.ident.as_ref().map(|name| quote!(#name:));
            Ok(quote!(#(#common)* #passed #visibility #name #ty))
        };
        let fields = row.fields.iter().map(field).collect::<Result<Vec<_>, Error>>()?;
        let body = if row.is_tuple {
            quote!((#(#fields),*) #bounds;)
        } else {
            quote!(#bounds { #(#fields),* })
        };
        let about = self.about(row);
        let passed = row.attributes.passed_on(self.is_row());
        let lints = attributes::docs_and_lints(&input.attrs, false);
        let copies = self.is_shared().then(|| {
            quote! {
                #[automatically_derived]
                #(#lints)*
                impl #impl_generics ::core::clone::Clone for #name #arguments #bounds {
                    #[inline(always)]
                    fn clone(&self) -> Self {
                        *self
                    }
                }
                #[automatically_derived]
                #(#lints)*
                impl #impl_generics ::core::marker::Copy for #name #arguments #bounds {}
            }
        });
        Ok(quote! {
            #[doc = #about]
            #[allow(dead_code, missing_docs)]
            #(#lints)*
            #passed
            #visibility struct #name #impl_generics #body
            #copies
        })
    }

    fn is_row(self) -> bool {
        matches!(self, Self::Ref | Self::Mut)
    }

    fn is_shared(self) -> bool {
        matches!(self, Self::Ref | Self::Slices)
    }

    fn about(self, row: &Row) -> String {
        let name = &row.input.ident;
        match self {
            Self::Ref => format!("References to the fields of a [`{name}`]."),
            Self::Mut => format!("Mutable references to the fields of a [`{name}`]."),
            Self::Slices => format!("The fields of all [`{name}`] rows, as slices."),
            Self::SlicesMut => format!("The fields of all [`{name}`] rows, as mutable slices."),
        }
    }
}
