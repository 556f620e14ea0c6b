import { defineProvider, fieldIn } from '../provider.ts';

export default defineProvider({
  name: 'x',
  title: 'X',
  doc: 'Posts, likes, follows and messages on X, formerly Twitter.',
  grants: ['code'],
  authorize: 'https://x.com/i/oauth2/authorize',
  token: 'https://api.x.com/2/oauth2/token',
  revoke: 'https://api.x.com/2/oauth2/revoke',
  hosts: ['api.x.com'],
  address: 'https://api.x.com/2',
  scopes: [
    { group: 'Posts', scope: 'tweet.write', label: 'Post' },
    { group: 'Posts', scope: 'media.write', label: 'Upload media' },
    { group: 'Posts', scope: 'like.read', label: 'Read likes' },
    { group: 'Posts', scope: 'like.write', label: 'Like posts' },
    { group: 'Posts', scope: 'bookmark.read', label: 'Read bookmarks' },
    { group: 'People', scope: 'follows.read', label: 'Read follows' },
    { group: 'People', scope: 'follows.write', label: 'Follow people' },
    { group: 'Messages', scope: 'dm.read', label: 'Read direct messages' },
    { group: 'Messages', scope: 'dm.write', label: 'Send direct messages' },
  ],
  // The name of the account needs the first two.
  always: ['tweet.read', 'users.read', 'offline.access'],
  pkce: true,
  clientAuth: 'basic',
  account: { url: 'https://api.x.com/2/users/me', read: (answer) => fieldIn(answer, 'data', 'username') },
  register: {
    url: 'https://developer.x.com/en/portal/dashboard',
    steps:
      'Create a project and an app, set up “User authentication” as a web app (confidential client) with this redirect address, and copy the OAuth 2.0 client id and secret. Refresh tokens are valid once.',
  },
  pages: [
    'https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code',
    'https://docs.x.com/fundamentals/authentication/oauth-2-0/user-access-token',
  ],
});
