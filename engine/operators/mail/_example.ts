/** The mail of examples, as a list shows it. */
export const exampleMail = {
  mailbox: 'INBOX',
  uid: 7,
  validity: '1',
  messageId: '<1@example.com>',
  subject: 'An order',
  from: { name: 'Ada', address: 'ada@example.com' },
  to: [{ name: '', address: 'shop@example.com' }],
  cc: [],
  date: '2026-03-02T08:00:00.000Z',
  arrivedAt: '2026-03-02T08:00:01.000Z',
  read: false,
  flagged: false,
  bytes: 40,
};

export const exampleTexts = {
  inReplyTo: null,
  references: [],
  replyTo: [],
  text: 'Two cups, please.',
  html: null,
};
