import { defineProvider, fieldIn } from '../provider.ts';

export default defineProvider({
  name: 'notion',
  title: 'Notion',
  doc: 'Pages, databases and comments of a Notion workspace.',
  grants: ['code'],
  authorize: 'https://api.notion.com/v1/oauth/authorize',
  token: 'https://api.notion.com/v1/oauth/token',
  hosts: ['api.notion.com'],
  address: 'https://api.notion.com/v1',
  // The capabilities are set where the app is registered, and people choose its pages when they consent.
  scopes: [],
  pkce: false,
  clientAuth: 'basic',
  jsonBody: true,
  parameters: { owner: 'user' },
  headers: { 'notion-version': '2022-06-28' },
  accountIn: (answer) => fieldIn(answer, 'workspace_name') ?? fieldIn(answer, 'owner', 'user', 'name'),
  register: {
    url: 'https://www.notion.so/my-integrations',
    steps:
      'Create a public integration with this redirect address, choose its capabilities, and copy “OAuth client ID” and secret. People choose the pages that it may see when they consent.',
  },
  pages: [
    'https://developers.notion.com/docs/authorization',
    'https://developers.notion.com/reference/create-a-token',
    'https://developers.notion.com/reference/refresh-a-token',
  ],
});
