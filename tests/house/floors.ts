import type { Room } from './sources.ts';

/**
 * The floors of each room, from the ground up: the folders directly below it. What stands in a folder imports what stands in the
 * same one and on the floors below it, types included. A room that is not here has no floors.
 */
export const floors: Partial<Record<Room, readonly (readonly string[])[]>> = {
  server: [
    ['errors', 'outbound', 'authored', 'process'],
    ['files', 'requests'],
    ['adapters', 'secrets'],
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
    // What puts the server together, and what starts it and the command line, stands in the room itself.
    ['.'],
  ],
  engine: [
    // The engine's words, which stand in the room itself.
    ['.'],
    ['catalog', 'expr', 'foreign', 'operators'],
    ['flow', 'code-first'],
    ['types', 'plan'],
    ['check', 'run'],
    ['partial'],
    ['replay'],
    ['index.ts'],
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
