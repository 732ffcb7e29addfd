// The panels of the page, in their order.

import { create as data } from "./panels/data.js";
import { create as grammar } from "./panels/grammar.js";
import { create as problems } from "./panels/problems.js";
import { create as reply } from "./panels/reply.js";
import { create as requests } from "./panels/requests.js";
import { create as run } from "./panels/run.js";
import { create as schema } from "./panels/schema.js";
import { create as tokens } from "./panels/tokens.js";
import { create as tools } from "./panels/tools.js";
import { create as turns } from "./panels/turns.js";

/** What its user writes. */
export const WRITTEN = [data, reply, run, tokens];

/** What comes of it. */
export const PANELS = [turns, requests, schema, grammar, tools, problems];
