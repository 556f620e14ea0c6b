import { z } from 'zod';

/** `flows/<id>.layout.json`: how a flow is drawn. It never influences a run; unknown keys are kept. */
const Point = z.looseObject({ x: z.number(), y: z.number() });
const Size = { width: z.number().positive().optional(), height: z.number().positive().optional() };
/** Its colour, and how its last output is shown below it. */
const Look = { color: z.string().optional(), watch: z.string().optional() };

export const Layout = z.looseObject({
  format: z.literal(1),
  /** `collapsed`: a node with a body is drawn without what is in it. */
  nodes: z
    .record(z.string(), Point.extend({ ...Size, ...Look, collapsed: z.boolean().optional() }))
    .default({}),
  notes: z
    .array(
      Point.extend({ id: z.string(), text: z.string().max(20_000), color: z.string().optional(), ...Size }),
    )
    .optional(),
  groups: z
    .array(z.looseObject({ id: z.string(), name: z.string().optional(), nodes: z.array(z.string()) }))
    .optional(),
  viewport: Point.extend({ zoom: z.number().positive() }).optional(),
});
export type Layout = z.infer<typeof Layout>;
