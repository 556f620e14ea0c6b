import { defineProvider } from '../provider.ts';

export default defineProvider({
  name: 'google',
  title: 'Google',
  doc: 'Sheets, Gmail, Drive, Calendar, Docs and the other APIs of Google.',
  grants: ['code', 'jwt', 'device'],
  authorize: 'https://accounts.google.com/o/oauth2/v2/auth',
  token: 'https://oauth2.googleapis.com/token',
  revoke: 'https://oauth2.googleapis.com/revoke',
  device: 'https://oauth2.googleapis.com/device/code',
  issuer: 'https://accounts.google.com',
  hosts: ['*.googleapis.com'],
  address: 'https://www.googleapis.com',
  scopes: [
    {
      group: 'Sheets',
      scope: 'https://www.googleapis.com/auth/spreadsheets.readonly',
      label: 'Read spreadsheets',
    },
    {
      group: 'Sheets',
      scope: 'https://www.googleapis.com/auth/spreadsheets',
      label: 'Read and change spreadsheets',
    },
    { group: 'Drive', scope: 'https://www.googleapis.com/auth/drive.readonly', label: 'Read all files' },
    {
      group: 'Drive',
      scope: 'https://www.googleapis.com/auth/drive.file',
      label: 'Read and change files that this app made',
    },
    { group: 'Drive', scope: 'https://www.googleapis.com/auth/drive', label: 'Read and change all files' },
    { group: 'Docs', scope: 'https://www.googleapis.com/auth/documents.readonly', label: 'Read documents' },
    { group: 'Docs', scope: 'https://www.googleapis.com/auth/documents', label: 'Read and change documents' },
    { group: 'Gmail', scope: 'https://www.googleapis.com/auth/gmail.readonly', label: 'Read mail' },
    { group: 'Gmail', scope: 'https://www.googleapis.com/auth/gmail.send', label: 'Send mail' },
    {
      group: 'Gmail',
      scope: 'https://www.googleapis.com/auth/gmail.modify',
      label: 'Read, send, label and move mail',
    },
    {
      group: 'Calendar',
      scope: 'https://www.googleapis.com/auth/calendar.readonly',
      label: 'Read calendars',
    },
    {
      group: 'Calendar',
      scope: 'https://www.googleapis.com/auth/calendar.events',
      label: 'Read and change events',
    },
    {
      group: 'Calendar',
      scope: 'https://www.googleapis.com/auth/calendar',
      label: 'Read and change calendars',
    },
    { group: 'People', scope: 'https://www.googleapis.com/auth/contacts.readonly', label: 'Read contacts' },
    { group: 'People', scope: 'https://www.googleapis.com/auth/contacts', label: 'Read and change contacts' },
    { group: 'Tasks', scope: 'https://www.googleapis.com/auth/tasks', label: 'Read and change tasks' },
    {
      group: 'YouTube',
      scope: 'https://www.googleapis.com/auth/youtube.readonly',
      label: 'Read the YouTube account',
    },
    { group: 'Cloud', scope: 'https://www.googleapis.com/auth/cloud-platform', label: 'Use Google Cloud' },
  ],
  always: ['openid', 'email'],
  pkce: true,
  clientAuth: 'post',
  // A refresh token comes only with these, and with consent each time.
  parameters: { access_type: 'offline', prompt: 'consent', include_granted_scopes: 'true' },
  account: { url: 'https://openidconnect.googleapis.com/v1/userinfo', read: (answer) => answer },
  register: {
    url: 'https://console.cloud.google.com/apis/credentials',
    steps:
      'Create a project, enable the APIs that flows use, set up the consent screen, then create an OAuth client ID of the type “Web application” with this redirect address. While the consent screen is in testing, Google ends each sign-in after seven days. For a service account create a key of the type JSON instead.',
  },
  pages: [
    'https://developers.google.com/identity/protocols/oauth2/web-server',
    'https://developers.google.com/identity/protocols/oauth2/service-account',
    'https://accounts.google.com/.well-known/openid-configuration',
  ],
});
