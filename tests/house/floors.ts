import type { Room } from './sources.ts';

/**
 * The floors of each room, from the ground up: the folders directly below it. A file imports only from its own folder
 * and from the floors below it, types included. A room that is not listed has no floors.
 */
export const floors: Partial<Record<Room, readonly (readonly string[])[]>> = {
  server: [
    ['process'],
    ['errors', 'outbound', 'authored'],
    ['files', 'requests'],
    ['adapters', 'secrets'],
    ['storage'],
    ['config', 'apps', 'models', 'idempotency'],
    ['sandbox', 'http', 'log'],
    ['flows'],
    ['history', 'security'],
    ['telemetry', 'watching', 'answers', 'awel', 'backup'],
    ['runs', 'state'],
    ['starts', 'usage'],
    ['durable', 'chat', 'flow-tests'],
    ['after-runs', 'agents', 'schedules', 'waits'],
    ['control', 'mcp', 'triggers'],
    ['routes'],
    ['cli'],
    // The files that compose and start the server and the command line are directly in the room.
    ['.'],
  ],
  engine: [
    // The engine's basic types, directly in the room.
    ['.'],
    ['catalog', 'expr', 'foreign', 'operators'],
    ['flow', 'code-first'],
    ['types', 'plan'],
    ['check', 'run'],
    ['partial'],
    ['replay'],
    ['index.ts', 'workbench.ts'],
  ],
  editor: [
    ['model', 'docs'],
    ['api', 'ui'],
    ['state', 'form'],
    ['commands'],
    ['session'],
    ['apps', 'waits', 'chat', 'flows', 'timeline', 'keys', 'palette', 'problems', 'secrets', 'versions'],
    ['canvas', 'runs', 'providers', 'tests', 'triggers'],
    ['history', 'inspector'],
    ['app'],
    ['.'],
  ],
};
