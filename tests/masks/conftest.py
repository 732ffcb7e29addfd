"""What tests of masks share."""

from __future__ import annotations

import pytest


@pytest.fixture(params=["kernel", "numpy"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both engines."""
    if request.param == "numpy":
        monkeypatch.setattr("pdl.masks.masker.library", lambda: None)
    elif pytest.importorskip("pdl.masks.native").library() is None:
        pytest.skip("the kernel was not built: no C compiler was ready")
