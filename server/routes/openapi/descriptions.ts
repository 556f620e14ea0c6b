import type { RouteDescription, RouteDescriptions, RouteGroup } from './description.ts';
import { admin } from './routes/admin.ts';
import { apps } from './routes/apps.ts';
import { awel } from './routes/awel.ts';
import { chat } from './routes/chat.ts';
import { flows } from './routes/flows.ts';
import { platform } from './routes/platform.ts';
import { runs } from './routes/runs.ts';
import { waits } from './routes/waits.ts';

/** In the order of the document. */
const groups: readonly RouteGroup[] = [chat, apps, flows, runs, waits, admin, awel, platform];

export const tags: readonly string[] = groups.map(({ tag }) => tag);

const tagByRoute = new Map(
  groups.flatMap(({ tag, routes }) => Object.keys(routes).map((route) => [route, tag])),
);

/** What is said of a route; `route` is `METHOD address`. */
export const routeDescriptions: RouteDescriptions = Object.assign({}, ...groups.map(({ routes }) => routes));

export function describedRoute(route: string): (RouteDescription & { readonly tag: string }) | undefined {
  const description = routeDescriptions[route];
  return description && { ...description, tag: tagByRoute.get(route) as string };
}
