import { defineProvider } from '../provider.ts';

export default defineProvider({
  name: 'airtable',
  title: 'Airtable',
  doc: 'Records, tables and bases of Airtable.',
  grants: ['code'],
  authorize: 'https://airtable.com/oauth2/v1/authorize',
  token: 'https://airtable.com/oauth2/v1/token',
  hosts: ['api.airtable.com', 'content.airtable.com'],
  address: 'https://api.airtable.com/v0',
  scopes: [
    { group: 'Records', scope: 'data.records:read', label: 'Read records' },
    { group: 'Records', scope: 'data.records:write', label: 'Create, change and delete records' },
    { group: 'Records', scope: 'data.recordComments:read', label: 'Read comments' },
    { group: 'Records', scope: 'data.recordComments:write', label: 'Write comments' },
    { group: 'Bases', scope: 'schema.bases:read', label: 'Read tables and fields' },
    { group: 'Bases', scope: 'schema.bases:write', label: 'Change tables and fields' },
    { group: 'Webhooks', scope: 'webhook:manage', label: 'Manage webhooks' },
  ],
  always: ['user.email:read'],
  pkce: true,
  clientAuth: 'basic',
  account: {
    url: 'https://api.airtable.com/v0/meta/whoami',
    read: (answer) => answer['email'] ?? answer['id'],
  },
  register: {
    url: 'https://airtable.com/create/oauth',
    steps:
      'Register an integration with this redirect address, tick the scopes there too (user.email:read among them), and generate a client secret.',
  },
  pages: [
    'https://airtable.com/developers/web/api/oauth-reference',
    'https://airtable.com/developers/web/api/scopes',
  ],
});
