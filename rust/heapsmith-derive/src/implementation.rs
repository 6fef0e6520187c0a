//! The implementation of `Soa`, which tells nobody the types of the fields.
//!
//! The tuple of fields is an associated type, and those of a public trait must not name private
//! types. So the tuple belongs to a private trait, and the public implementation has a parameter in
//! its place, which a bound makes equal to the tuple.

use proc_macro2::TokenStream as Tokens;
use quote::{format_ident, quote};

use crate::row::Row;
use crate::view::View;
use crate::{attributes, generics};

pub(crate) fn implement(row: &Row) -> Tokens {
    let Row { input, life, .. } = row;
    let (krate, name) = (row.attributes.krate(), &input.ident);
    let (_, type_generics, bounds) = input.generics.split_for_impl();
    let views_generics = generics::with_lifetime(row);
    let (views_generics, ..) = views_generics.split_for_impl();
    let view_types = View::ALL.map(|view| {
        let (item, view_type) = (view.item(), view.type_of(row));
        quote!(type #item = #view_type;)
    });
    let (declaration, hidden, public) = (declare(row), hidden(row), public(row));
    let lints = attributes::docs_and_lints(&input.attrs, false);
    quote! {
        #[automatically_derived]
        #(#lints)*
        impl #views_generics #krate::soa::Views<#life> for #name #type_generics #bounds {
            #(#view_types)*
        }

        #[allow(deprecated, private_bounds)]
        #(#lints)*
        const _: () = {
            #declaration
            #hidden
            #public
        };
    }
}

/// The trait that has the fields, which nothing outside its block can name.
fn declare(row: &Row) -> Tokens {
    let Row { life, hidden, .. } = row;
    let krate = row.attributes.krate();
    let functions = View::ALL.map(|view| {
        let (function, (argument, result)) = (view.function(), signature(row, view));
        quote!(fn #function<#life>(__soa_fields: #argument) -> #result where Self: #life;)
    });
    quote! {
        trait #hidden: ::core::marker::Sized + for<#life> #krate::soa::Views<#life> {
            type Fields: #krate::soa::Columns;
            fn split(self) -> Self::Fields;
            fn join(__soa_fields: Self::Fields) -> Self;
            #(#functions)*
        }
    }
}

/// The implementation of that trait, whose types are those of the fields.
fn hidden(row: &Row) -> Tokens {
    let Row { input, names, locals, life, hidden, .. } = row;
    let name = &input.ident;
    let types = row.fields.iter().map(|field| &field.ty);
    let (impl_generics, type_generics, bounds) = input.generics.split_for_impl();
    let functions = View::ALL.map(|view| {
        let (function, struct_name) = (view.function(), view.struct_name(row));
        let (argument, result) = signature(row, view);
        quote! {
            #[inline(always)]
            fn #function<#life>((#(#locals,)*): #argument) -> #result where Self: #life {
                #struct_name { #(#names: #locals),* }
            }
        }
    });
    quote! {
        #[automatically_derived]
        impl #impl_generics #hidden for #name #type_generics #bounds {
            type Fields = (#(#types,)*);

            #[inline(always)]
            fn split(self) -> Self::Fields {
                let Self { #(#names: #locals),* } = self;
                (#(#locals,)*)
            }
            #[inline(always)]
            fn join((#(#locals,)*): Self::Fields) -> Self {
                Self { #(#names: #locals),* }
            }
            #(#functions)*
        }
    }
}

/// The implementation of `Soa`, which calls that of the other trait.
fn public(row: &Row) -> Tokens {
    let Row { input, life, hidden, parameter, .. } = row;
    let (krate, name) = (row.attributes.krate(), &input.ident);
    let (_, type_generics, _) = input.generics.split_for_impl();
    let generics = generics::with_fields(row);
    let (impl_generics, _, bounds) = generics.split_for_impl();
    let functions = View::ALL.map(|view| {
        let (function, (argument, result)) = (view.function(), signature(row, view));
        let public = format_ident!("name_{function}");
        quote! {
            #[inline(always)]
            fn #public<#life>(__soa_fields: #argument, _: #krate::soa::Access<Self>) -> #result
            where
                Self: #life,
            {
                <Self as #hidden>::#function(__soa_fields)
            }
        }
    });
    quote! {
        #[automatically_derived]
        impl #impl_generics #krate::Soa for #name #type_generics #bounds {
            type Fields = #parameter;

            #[inline(always)]
            fn into_fields(self, _: #krate::soa::Access<Self>) -> #parameter {
                <Self as #hidden>::split(self)
            }
            #[inline(always)]
            fn from_fields(__soa_fields: #parameter, _: #krate::soa::Access<Self>) -> Self {
                <Self as #hidden>::join(__soa_fields)
            }
            #(#functions)*
        }
    }
}

/// The argument and the result of a function that gives names, in all three places.
fn signature(row: &Row, view: View) -> (Tokens, Tokens) {
    let (krate, life) = (row.attributes.krate(), &row.life);
    let (columns, item) = (view.columns(), view.item());
    (
        quote!(<Self::Fields as #krate::soa::Columns>::#columns<#life>),
        quote!(#krate::soa::#item<#life, Self>),
    )
}
