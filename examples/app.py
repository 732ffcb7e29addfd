"""A service that turns what people type into filters: one endpoint answers, the other streams.

    pip install 'pdl-prompts[examples]'
    PDL_MODEL=openai:MODEL uvicorn --app-dir examples app:app

Without PDL_MODEL, `python examples/app.py` serves recorded replies at http://127.0.0.1:8000/docs.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel, Field, model_validator

import pdl

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

HERE = Path(__file__).parent
PROMPT = pdl.load(HERE.parent / "prompts" / "search_filter.pdl")
RECORDED = f"replay:{HERE / 'search_filter' / 'replies.jsonl'}"

Words = Annotated[str, Field(min_length=1, max_length=60)]


class Search(BaseModel):
    """What somebody types."""

    query: Annotated[str, Field(min_length=1, max_length=300)]


class Price(BaseModel):
    """A range, in euros."""

    min: Annotated[float, Field(ge=0)] | None = None
    max: Annotated[float, Field(gt=0)] | None = None

    @model_validator(mode="after")
    def _is_range(self) -> Price:
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError("min must not be greater than max")
        return self


class Filters(BaseModel):
    """What the shop's search takes."""

    what: Words
    brand: Words | None = None
    colour: Annotated[str, Field(max_length=30)] | None = None
    size: Annotated[str, Field(max_length=10)] | None = None
    price: Price = Price()
    features: list[Words] = []


app = FastAPI(title="Search filters")


@app.post("/filters")
async def filters(search: Search) -> Filters:
    """Answer with the filters, once they are complete and valid."""
    answer = await pdl.ask_async(PROMPT.render(query=search.query), None, Filters, timeout=30)
    return answer.value


@app.post("/filters/stream")
async def stream(search: Search) -> StreamingResponse:
    """Send the filters as they arrive: events `partial`, unchecked, then one `answer` or `error`.

    The partials of a new attempt begin anew.
    """
    rendered = PROMPT.render(query=search.query)

    async def events() -> AsyncIterator[str]:
        try:
            async for partial in pdl.stream(rendered, None, Filters, timeout=30):
                if partial.answer is None:
                    yield event("partial", {"attempt": partial.attempt, "filters": partial.data})
                else:
                    yield event("answer", partial.answer.value.model_dump(mode="json"))
        except pdl.AskError as error:
            yield event("error", {"detail": detail_of(error)})

    return StreamingResponse(events(), media_type="text/event-stream")


def detail_of(error: pdl.AskError) -> str:
    """Why there is no answer; what the provider said is for the log, not for the caller."""
    return f"no valid answer ({error.ending})"


def event(name: str, data: object) -> str:
    """One server-sent event, whose data is JSON."""
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"


@app.exception_handler(pdl.AskError)
async def no_answer(_: Request, error: pdl.AskError) -> JSONResponse:
    """Say that the model is to blame."""
    return JSONResponse({"detail": detail_of(error)}, status_code=502)


if __name__ == "__main__":
    os.environ.setdefault("PDL_MODEL", RECORDED)
    uvicorn.run(app, port=int(os.environ.get("PORT", "8000")))
