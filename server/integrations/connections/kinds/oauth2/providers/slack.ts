import { defineProvider, fieldIn } from '../provider.ts';

export default defineProvider({
  name: 'slack',
  title: 'Slack',
  doc: 'Messages, channels, files and people of a Slack workspace, as a bot.',
  grants: ['code'],
  authorize: 'https://slack.com/oauth/v2/authorize',
  token: 'https://slack.com/api/oauth.v2.access',
  hosts: ['slack.com', 'files.slack.com'],
  address: 'https://slack.com/api',
  scopes: [
    { group: 'Messages', scope: 'chat:write', label: 'Send messages' },
    {
      group: 'Messages',
      scope: 'chat:write.public',
      label: 'Send messages to channels without joining them',
    },
    { group: 'Messages', scope: 'reactions:write', label: 'Add and remove reactions' },
    { group: 'Channels', scope: 'channels:read', label: 'List public channels' },
    { group: 'Channels', scope: 'channels:history', label: 'Read messages of public channels' },
    { group: 'Channels', scope: 'channels:manage', label: 'Create and change public channels' },
    { group: 'Channels', scope: 'groups:read', label: 'List private channels' },
    { group: 'Channels', scope: 'groups:history', label: 'Read messages of private channels' },
    { group: 'Direct messages', scope: 'im:write', label: 'Start direct messages' },
    { group: 'Direct messages', scope: 'im:history', label: 'Read direct messages' },
    { group: 'Files', scope: 'files:read', label: 'Read files' },
    { group: 'Files', scope: 'files:write', label: 'Upload and change files' },
    { group: 'People', scope: 'users:read', label: 'List people' },
    { group: 'People', scope: 'users:read.email', label: 'Read e-mail addresses of people' },
  ],
  // Scopes of a bot are separated by commas.
  separator: ',',
  pkce: false,
  clientAuth: 'basic',
  // It answers 200 to failures too, and names the type of the token `bot`.
  tokenAnswer: (answer) => (answer['ok'] === false ? { error: answer['error'] } : answer),
  accountIn: (answer) => fieldIn(answer, 'team', 'name'),
  register: {
    url: 'https://api.slack.com/apps',
    steps:
      'Create an app, add this redirect address and the bot token scopes under “OAuth & Permissions”, and copy client id and secret from “Basic Information”. Slack takes https addresses only.',
  },
  pages: [
    'https://docs.slack.dev/authentication/installing-with-oauth',
    'https://docs.slack.dev/reference/methods/oauth.v2.access',
    'https://docs.slack.dev/authentication/using-token-rotation',
  ],
});
