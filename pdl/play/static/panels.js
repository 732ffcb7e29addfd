// The panels of the page, in their order.

import { create as data } from "./panels/data.js";
import { create as problems } from "./panels/problems.js";
import { create as reply } from "./panels/reply.js";
import { create as turns } from "./panels/turns.js";

/** What its user writes. */
export const WRITTEN = [data, reply];

/** What comes of it. */
export const PANELS = [turns, problems];
