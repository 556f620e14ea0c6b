import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { z } from 'zod';
import { type DescribedRoute, describedRoutes } from '../api/routes/openapi/description.ts';
import { scopes } from '../access/security/scopes.ts';
import type { Bed } from './platform-bed.ts';

interface Asked {
  readonly params?: Readonly<Record<string, string>>;
  /** With its question mark. */
  readonly query?: string;
  readonly body?: unknown;
}

/** Calls the routes of a server by their names, such as `GET /api/v1/flows/:id`. */
export interface RouteCaller {
  /**
   * Returns the `data` of a successful answer, or the answer itself where it has no envelope. The answer must match the description of
   * the route: its status, and no field more or less.
   */
  call(route: string, asked?: Asked): Promise<never>;
  /** The routes that were not called. */
  rest(): string[];
}

const ajv = new Ajv2020({ strict: false, validateFormats: false });

/** Calls with a key that has every scope. */
export async function routeCaller({ app, ctx, url: base }: Bed): Promise<RouteCaller> {
  const described = await describedRoutes(app.routeTable);
  const routes = new Map(described.map((one) => [`${one.method} ${one.url}`, one]));
  const { key } = await ctx.keys.create({ name: 'calls every route', scopes: [...scopes] });
  const called = new Set<string>();

  async function call(name: string, { params = {}, query = '', body }: Asked = {}): Promise<never> {
    const { method, url, status = 200, answer: data, content } = routes.get(name) as DescribedRoute;
    const path = url.replaceAll(/:(\w+)/g, (_, param: string) => params[param] ?? `no-${param}`);
    const headers: Record<string, string> = { authorization: `Bearer ${key}` };
    if (body !== undefined) headers['content-type'] = 'application/json';
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await fetch(base + path + query, init);
    const text = await response.text();
    expect([name, response.status, response.ok ? '' : text]).toEqual([name, status, '']);
    const schema = data
      ? z.object({ success: z.literal(true), err_code: z.null(), err_msg: z.null(), data })
      : content?.['application/json'];
    // OpenAI's clients need one more field beside the envelope.
    const { object: _, ...told } = JSON.parse(text);
    const answer = data ? told : JSON.parse(text);
    expect(mistakes(schema, answer), name).toEqual([]);
    called.add(name);
    return (data ? answer.data : answer) as never;
  }
  return { call, rest: () => [...routes.keys()].filter((name) => !called.has(name)) };
}

function mistakes(schema: z.ZodType | undefined, value: unknown): unknown {
  if (schema === undefined) return 'no schema';
  const fits = ajv.compile(z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }));
  return fits(value) ? [] : fits.errors;
}
