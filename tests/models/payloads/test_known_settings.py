"""The linter knows each setting that a provider's payload knows, and each provider."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

import pytest

from pdl.cli.commands import render
from pdl.models import payloads
from pdl.models.connecting import SCHEMES
from pdl.models.payloads import FAMILIES
from pdl.models.payloads.settings_map import SettingsMap
from pdl.prompt.config import PROVIDERS, SETTINGS

MODULES = [
    import_module(f"pdl.models.payloads.{one.name}") for one in iter_modules(payloads.__path__)
]
KNOWN = {
    id(one): one
    for module in MODULES
    for one in vars(module).values()
    if isinstance(one, SettingsMap)
}


def test_each_provider_is_known() -> None:
    assert set(PROVIDERS) == SCHEMES


def test_each_provider_has_a_format_of_rendering() -> None:
    [formats] = [one.type for one in render.command.params if one.name == "form"]
    assert set(FAMILIES) <= set(getattr(formats, "choices", ()))


@pytest.mark.parametrize("settings", KNOWN.values(), ids=lambda one: one.provider)
def test_each_setting_is_known(settings: SettingsMap) -> None:
    names = {*settings.paths, *settings.absent, *settings.converters, *settings.top} - {
        *settings.reserved
    }
    assert names - settings.reserved.keys() <= SETTINGS.keys()
