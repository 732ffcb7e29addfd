"""Templates that are drawn: nested statements over few names, so that these often meet."""

from __future__ import annotations

from hypothesis import strategies as st

_NAME = st.sampled_from("xyz")
_ATOMS = st.one_of(
    _NAME,
    _NAME.map("{}.x".format),
    _NAME.map("{}|default(x=y)".format),
    _NAME.map("f({}=z)".format),
    st.builds("({} if {} else {})".format, _NAME, _NAME, _NAME),
    st.just("range(x)"),
)
_LEAVES = st.one_of(
    _ATOMS.map("{{{{ {} }}}}".format),
    st.builds("{{% set {} = {} %}}".format, _NAME, _ATOMS),
    st.builds("{{% set {}, {} = {} %}}".format, _NAME, _NAME, _ATOMS),
    st.builds("{{% set_global {} = {} %}}".format, st.just("g"), _ATOMS),
    st.builds("{{% import 'a' as {} %}}".format, _NAME),
    st.builds("{{% from 'a' import {} as {}, {} %}}".format, _NAME, _NAME, _NAME),
    st.just("{{ g }}"),
)
_BLOCKS = st.integers(0, 10**6).map("b{}".format)


def _nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    body = st.lists(inner, max_size=3).map("".join)
    return st.one_of(
        st.builds("{{% if {} %}}{}{{% endif %}}".format, _ATOMS, body),
        st.builds(
            "{{% if {} %}}{}{{% elif {} %}}{}{{% elif {} %}}{}{{% else %}}{}{{% endif %}}".format,
            *(_ATOMS, body, _ATOMS, body, _ATOMS, body, body),
        ),
        st.builds("{{% for {} in {} %}}{}{{% endfor %}}".format, _NAME, _ATOMS, body),
        st.builds(
            "{{% for {}, k in {} if {} %}}{}{{% else %}}{}{{% endfor %}}".format,
            *(_NAME, _ATOMS, _ATOMS, body, body),
        ),
        st.builds(
            "{{% macro {}({}, k={}) %}}{}{{% endmacro %}}".format, _NAME, _NAME, _ATOMS, body
        ),
        st.builds("{{% call({}) {}(1) %}}{}{{% endcall %}}".format, _NAME, _NAME, body),
        st.builds("{{% filter default({}) %}}{}{{% endfilter %}}".format, _ATOMS, body),
        st.builds("{{% set {} %}}{}{{% endset %}}".format, _NAME, body),
        st.builds("{{% with {} = {} %}}{}{{% endwith %}}".format, _NAME, _ATOMS, body),
        st.builds("{{% block {} %}}{}{{% endblock %}}".format, _BLOCKS, body),
        st.builds("{{% autoescape {} %}}{}{{% endautoescape %}}".format, _ATOMS, body),
    )


TEMPLATES = st.lists(st.recursive(_LEAVES, _nested, max_leaves=12), max_size=4).map("".join)
