import { defineProvider } from '../provider.ts';

export default defineProvider({
  name: 'atlassian',
  title: 'Atlassian',
  doc: 'Jira and Confluence in the cloud. Requests go to /ex/jira/<cloud id>/… or /ex/confluence/<cloud id>/….',
  grants: ['code'],
  authorize: 'https://auth.atlassian.com/authorize',
  token: 'https://auth.atlassian.com/oauth/token',
  hosts: ['api.atlassian.com'],
  address: 'https://api.atlassian.com',
  scopes: [
    { group: 'Jira', scope: 'read:jira-work', label: 'Read issues and projects' },
    { group: 'Jira', scope: 'write:jira-work', label: 'Create and change issues' },
    { group: 'Jira', scope: 'read:jira-user', label: 'Read people' },
    { group: 'Jira', scope: 'manage:jira-webhook', label: 'Manage webhooks' },
    { group: 'Confluence', scope: 'read:confluence-content.all', label: 'Read pages' },
    { group: 'Confluence', scope: 'write:confluence-content', label: 'Create and change pages' },
    { group: 'Confluence', scope: 'search:confluence', label: 'Search' },
    { group: 'Confluence', scope: 'read:confluence-space.summary', label: 'Read spaces' },
  ],
  always: ['offline_access', 'read:me'],
  pkce: false,
  clientAuth: 'post',
  jsonBody: true,
  parameters: { audience: 'api.atlassian.com', prompt: 'consent' },
  account: { url: 'https://api.atlassian.com/me', read: (answer) => answer['email'] ?? answer['name'] },
  register: {
    url: 'https://developer.atlassian.com/console/myapps/',
    steps:
      'Create an OAuth 2.0 integration, add the APIs that flows use with the same scopes (and the User identity API), and this address as the callback URL. GET /oauth/token/accessible-resources lists the cloud ids.',
  },
  pages: [
    'https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps/',
    'https://developer.atlassian.com/cloud/confluence/oauth-2-3lo-apps/',
  ],
});
