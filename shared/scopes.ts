/** What an API key may be allowed to do; a session of the owner may do all of it. */
export const scopes = [
  'chat',
  'apps:read',
  'apps:write',
  'flows:read',
  'flows:write',
  'flows:publish',
  'runs:read',
  'runs:write',
  'knowledge:read',
  'knowledge:write',
  'triggers',
  'admin',
] as const;

export type Scope = (typeof scopes)[number];
