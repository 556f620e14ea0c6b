import { defineProvider } from '../provider.ts';

const LOGIN = 'https://login.microsoftonline.com/{tenant}/oauth2/v2.0';

export default defineProvider({
  name: 'microsoft',
  title: 'Microsoft',
  doc: 'Outlook, Excel, OneDrive, SharePoint, Teams, To Do and the rest of Microsoft Graph.',
  grants: ['code', 'device', 'client'],
  authorize: `${LOGIN}/authorize`,
  token: `${LOGIN}/token`,
  device: `${LOGIN}/devicecode`,
  hosts: ['graph.microsoft.com'],
  address: 'https://graph.microsoft.com/v1.0',
  scopes: [
    { group: 'Mail', scope: 'Mail.Read', label: 'Read mail' },
    { group: 'Mail', scope: 'Mail.Send', label: 'Send mail' },
    { group: 'Mail', scope: 'Mail.ReadWrite', label: 'Read, change and move mail' },
    { group: 'Calendar', scope: 'Calendars.Read', label: 'Read calendars' },
    { group: 'Calendar', scope: 'Calendars.ReadWrite', label: 'Read and change calendars' },
    { group: 'Files', scope: 'Files.Read', label: 'Read files and workbooks' },
    { group: 'Files', scope: 'Files.ReadWrite', label: 'Read and change files and workbooks' },
    { group: 'Sites', scope: 'Sites.Read.All', label: 'Read SharePoint sites' },
    { group: 'Sites', scope: 'Sites.ReadWrite.All', label: 'Read and change SharePoint sites' },
    { group: 'Teams', scope: 'ChannelMessage.Send', label: 'Send messages in channels' },
    { group: 'Teams', scope: 'Chat.ReadWrite', label: 'Read and write chats' },
    { group: 'People', scope: 'Contacts.Read', label: 'Read contacts' },
    { group: 'People', scope: 'Contacts.ReadWrite', label: 'Read and change contacts' },
    { group: 'To Do', scope: 'Tasks.ReadWrite', label: 'Read and change tasks' },
    {
      group: 'App',
      scope: 'https://graph.microsoft.com/.default',
      label: 'Permissions that an administrator gave the app (client)',
    },
  ],
  always: ['offline_access', 'User.Read'],
  pkce: true,
  clientAuth: 'post',
  account: {
    url: 'https://graph.microsoft.com/v1.0/me',
    read: (answer) => answer['userPrincipalName'] ?? answer['mail'] ?? answer['displayName'],
  },
  tenant: {
    label: 'Directory (tenant)',
    doc: 'The id or domain of your directory; common: accounts of any directory, and personal ones.',
    default: 'common',
  },
  register: {
    url: 'https://entra.microsoft.com/#view/Microsoft_AAD_RegisteredApps/ApplicationsListBlade',
    steps:
      'Register an application, add the platform “Web” with this redirect address, and create a client secret under “Certificates & secrets”. An app of one directory needs its tenant here. Client secrets end after at most two years.',
  },
  pages: [
    'https://learn.microsoft.com/en-us/entra/identity-platform/v2-oauth2-auth-code-flow',
    'https://learn.microsoft.com/en-us/entra/identity-platform/v2-oauth2-device-code',
    'https://learn.microsoft.com/en-us/graph/permissions-reference',
  ],
});
