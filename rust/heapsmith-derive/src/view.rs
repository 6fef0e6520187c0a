//! The four views: a borrowed row or borrowed columns, shared or mutable.

use quote::format_ident;
use syn::Ident;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum View {
    Ref,
    Mut,
    Slices,
    SlicesMut,
}

impl View {
    pub(crate) const ALL: [Self; 4] = [Self::Ref, Self::Mut, Self::Slices, Self::SlicesMut];

    /// The associated type of the trait.
    pub(crate) fn item(self) -> Ident {
        let name = match self {
            Self::Ref => "Ref",
            Self::Mut => "Mut",
            Self::Slices => "Slices",
            Self::SlicesMut => "SlicesMut",
        };
        format_ident!("{name}")
    }

    /// The associated type of the tuple of fields.
    pub(crate) fn columns(self) -> Ident {
        let name = match self {
            Self::Ref => "Refs",
            Self::Mut => "Muts",
            Self::Slices => "Slices",
            Self::SlicesMut => "SlicesMut",
        };
        format_ident!("{name}")
    }

    /// The function of the hidden trait. That of `Soa` has the prefix `name_`.
    pub(crate) fn function(self) -> Ident {
        let name = match self {
            Self::Ref => "refs",
            Self::Mut => "muts",
            Self::Slices => "slices",
            Self::SlicesMut => "slices_mut",
        };
        format_ident!("{name}")
    }

    /// The name of the attribute's argument that names the struct.
    pub(crate) fn attribute(self) -> &'static str {
        match self {
            Self::Ref => "ref",
            Self::Mut => "mut",
            Self::Slices => "columns",
            Self::SlicesMut => "columns_mut",
        }
    }
}
