import type { ServiceLines } from './lines.ts';

/** People and what is asked of them: subscribers, affiliates, contacts, forms, boards and stories. */
export const peopleServices: Readonly<Record<string, ServiceLines>> = {
  demio: {
    credential: 'demioApi',
    first: ['event', 'get'],
    firsts: { report: 'get' },
    address: 'https://my.demio.com/api/v1',
    difference: 'The connection has the headers `Api-Key` and `Api-Secret`. ',
    operations: {
      'event.get': 'GET /event/{eventId} active=additionalFields.active',
      'event.getAll': 'GET /events type=filters.type :first=100',
      'event.register':
        'PUT /event/register id=eventId name=firstName email last_name=additionalFields.last_name company=additionalFields.company phone_number=additionalFields.phone_number website=additionalFields.website gdpr=additionalFields.gdpr ref_url=additionalFields.ref_url date_id=additionalFields.date_id',
      'report.get':
        'GET /report/{dateId}/participants status=filters.status ~eventId -> one?.participants ?? []',
    },
  },
  tapfiliate: {
    credential: 'tapfiliateApi',
    first: ['affiliate', 'create'],
    firsts: { affiliateMetadata: 'add', programAffiliate: 'add' },
    address: 'https://api.tapfiliate.com/1.6',
    difference: 'The connection sends the key in the header `Api-Key`. ',
    operations: {
      'affiliate.create':
        'POST /affiliates/ email firstname lastname company.name=additionalFields.companyName',
      'affiliate.get': 'GET /affiliates/{affiliateId}/',
      'affiliate.getAll':
        'GET /affiliates/ affiliate_group_id=filters.affiliate_group_id click_id=filters.click_id email=filters.email parentId=filters.parentId referral_code=filters.referral_code source_id=filters.source_id :first=100 :paged',
      'affiliate.delete': 'DELETE /affiliates/{affiliateId}/ -> { success: true }',
      'affiliateMetadata.remove': 'DELETE /affiliates/{affiliateId}/meta-data/{key}/ -> { success: true }',
      'programAffiliate.add':
        'POST /programs/{programId}/affiliates/ affiliate.id=affiliateId approved=additionalFields.approved coupon=additionalFields.coupon',
      'programAffiliate.get': 'GET /programs/{programId}/affiliates/{affiliateId}/',
      'programAffiliate.getAll':
        'GET /programs/{programId}/affiliates/ affiliate_group_id=filters.affiliate_group_id email=filters.email parentId=filters.parentId source_id=filters.source_id :first=100 :paged',
      'programAffiliate.approve': 'PUT /programs/{programId}/affiliates/{affiliateId}/approved/ :json',
      'programAffiliate.disapprove': 'DELETE /programs/{programId}/affiliates/{affiliateId}/approved/',
    },
  },
  getResponse: {
    credential: 'getResponseApi',
    first: ['contact', 'get'],
    address: 'https://api.getresponse.com/v3',
    difference: 'The connection sends the header `X-Auth-Token` with the word `api-key` before the key. ',
    operations: {
      'contact.create':
        'POST /contacts email campaign.campaignId=campaignId name=additionalFields.name dayOfCycle=additionalFields.dayOfCycle ipAddress=additionalFields.ipAddress note=additionalFields.note scoring=additionalFields.scoring tags=additionalFields.tags -> { success: true }',
      'contact.get': 'GET /contacts/{contactId} fields=options.fields',
      'contact.getAll':
        'GET /contacts fields=options.fields query[campaignId]=options.campaignId query[name]=options.name query[origin]=options.origin perPage=@20<=1000',
      'contact.update':
        'POST /contacts/{contactId} email=updateFields.email name=updateFields.name dayOfCycle=updateFields.dayOfCycle ipAddress=updateFields.ipAddress note=updateFields.note scoring=updateFields.scoring tags=updateFields.tags campaign.campaignId=updateFields.campaignId',
      'contact.delete':
        'DELETE /contacts/{contactId} ipAddress=options.ipAddress messageId=options.messageId -> { success: true }',
    },
  },
  iterable: {
    credential: 'iterableApi',
    first: ['user', 'upsert'],
    firsts: { event: 'track', userList: 'add' },
    address: '/api',
    difference:
      'The address of the connection is `https://api.iterable.com` or `https://api.eu.iterable.com`; it sends the key in the header `Api-Key`. ',
    operations: {
      'user.get': 'GET /users/getByEmail email ~by -> one?.user ?? { }',
      'user.delete': 'DELETE /users/{email} ~by',
    },
  },
  koBoToolbox: {
    credential: 'koBoToolboxApi',
    first: ['submission', 'getAll'],
    firsts: { file: 'get', form: 'get', hook: 'getAll' },
    address: '/api/v2',
    difference: 'The connection sends the header `Authorization` with the word `Token` before the token. ',
    operations: {
      'form.get': 'GET /assets/{formId}',
      'form.getAll': 'GET /assets/ q=filters.filter limit=@1000<=3000 -> one?.results ?? []',
      'form.redeploy': 'PATCH /assets/{formId}/deployment/ :json',
      'submission.get': 'GET /assets/{formId}/data/{submissionId} fields=options.fields',
      'submission.getAll':
        'GET /assets/{formId}/data/ query=filterJson fields=options.fields sort=options.sort ~filterType limit=@100<=3000 -> one?.results ?? []',
      'submission.delete': 'DELETE /assets/{formId}/data/{submissionId} -> { success: true }',
      'submission.getValidation': 'GET /assets/{formId}/data/{submissionId}/validation_status/',
      'submission.setValidation':
        'PATCH /assets/{formId}/data/{submissionId}/validation_status/ validation_status.uid=validationStatus',
      'hook.get': 'GET /assets/{formId}/hooks/{hookId}',
      'hook.getAll': 'GET /assets/{formId}/hooks/ limit=@1000<=3000 -> one?.results ?? []',
    },
  },
  wekan: {
    credential: 'wekanApi',
    first: ['card', 'create'],
    firsts: {
      board: 'create',
      cardComment: 'create',
      checklist: 'getAll',
      checklistItem: 'getAll',
      list: 'create',
    },
    address: '/api',
    difference: 'The connection has a token of the service instead of a password. ',
    operations: {
      'board.get': 'GET /boards/{boardId}',
      'board.getAll': 'GET /users/{IdUser}/boards :first=100',
      'board.delete': 'DELETE /boards/{boardId}',
      'card.create':
        'POST /boards/{boardId}/lists/{listId}/cards title swimlaneId authorId description=additionalFields.description members=additionalFields.members assignees=additionalFields.assignees',
      'card.get': 'GET /boards/{boardId}/lists/{listId}/cards/{cardId}',
      'card.update':
        'PUT /boards/{boardId}/lists/{listId}/cards/{cardId} title=updateFields.title description=updateFields.description listId=updateFields.listId color=updateFields.color authorId=updateFields.authorId members=updateFields.members assignees=updateFields.assignees dueAt=updateFields.dueAt endAt=updateFields.endAt startAt=updateFields.startAt sort=updateFields.sort',
      'card.delete': 'DELETE /boards/{boardId}/lists/{listId}/cards/{cardId}',
      'cardComment.create': 'POST /boards/{boardId}/cards/{cardId}/comments authorId comment ~listId',
      'cardComment.get': 'GET /boards/{boardId}/cards/{cardId}/comments/{commentId} ~listId',
      'cardComment.getAll': 'GET /boards/{boardId}/cards/{cardId}/comments ~listId :first=100',
      'cardComment.delete': 'DELETE /boards/{boardId}/cards/{cardId}/comments/{commentId} ~listId',
      'checklist.create': 'POST /boards/{boardId}/cards/{cardId}/checklists title items ~listId',
      'checklist.getAll': 'GET /boards/{boardId}/cards/{cardId}/checklists ~listId :first=100',
      'list.create': 'POST /boards/{boardId}/lists title',
      'list.get': 'GET /boards/{boardId}/lists/{listId}',
      'list.getAll': 'GET /boards/{boardId}/lists :first=100',
      'list.delete': 'DELETE /boards/{boardId}/lists/{listId}',
    },
  },
  storyblok: {
    credential: 'storyblokContentApi',
    first: ['story', 'get'],
    address: 'https://api.storyblok.com/v1',
    secret: 'token',
    difference:
      'The content is read, and not managed; the secret of the connection stands as `token` in the query. ',
    operations: {
      'story.get': 'GET /cdn/stories/{identifier} -> one?.story',
      'story.getAll':
        'GET /cdn/stories starts_with=filters.starts_with per_page=@50<=100 -> one?.stories ?? []',
    },
  },
  monicaCrm: {
    credential: 'monicaCrmApi',
    first: ['contact', 'create'],
    firsts: {
      activity: 'create',
      call: 'create',
      journalEntry: 'create',
      note: 'create',
      tag: 'create',
      task: 'create',
    },
    address: '/api',
    difference:
      'The address of the connection is `https://app.monicahq.com`, or that of a server of one’s own. ',
    operations: {
      'contact.get': 'GET /contacts/{contactId} -> one?.data',
      'contact.getAll':
        'GET /contacts query=filters.query sort=filters.sort limit=@50<=100 -> one?.data ?? []',
      'contact.delete': 'DELETE /contacts/{contactId} -> { success: true }',
      'activity.create':
        'POST /activities activity_type_id=activityTypeId contacts=contacts|list happened_at=happenedAt|day summary description=additionalFields.description',
      'activity.get': 'GET /activities/{activityId} -> one?.data',
      'activity.getAll': 'GET /activities limit=@50<=100 -> one?.data ?? []',
      'activity.delete': 'DELETE /activities/{activityId} -> { success: true }',
      'call.create': 'POST /calls called_at=calledAt|day contact_id=contactId content',
      'call.get': 'GET /calls/{callId} -> one?.data',
      'call.getAll': 'GET /calls limit=@50<=100 -> one?.data ?? []',
      'call.delete': 'DELETE /calls/{callId} -> { success: true }',
      'journalEntry.create': 'POST /journal title post',
      'journalEntry.get': 'GET /journal/{journalId} -> one?.data',
      'journalEntry.getAll': 'GET /journal limit=@50<=100 -> one?.data ?? []',
      'journalEntry.delete': 'DELETE /journal/{journalId} -> { success: true }',
      'note.create': 'POST /notes body contact_id=contactId is_favorited=additionalFields.isFavorited',
      'note.get': 'GET /notes/{noteId} -> one?.data',
      'note.getAll': 'GET /notes limit=@50<=100 -> one?.data ?? []',
      'note.delete': 'DELETE /notes/{noteId} -> { success: true }',
      'tag.create': 'POST /tags name',
      'tag.get': 'GET /tags/{tagId} -> one?.data',
      'tag.getAll': 'GET /tags limit=@50<=100 -> one?.data ?? []',
      'tag.delete': 'DELETE /tags/{tagId} -> { success: true }',
      'task.create': 'POST /tasks title contact_id=contactId description=additionalFields.description',
      'task.get': 'GET /tasks/{taskId} -> one?.data',
      'task.getAll': 'GET /tasks limit=@50<=100 -> one?.data ?? []',
      'task.delete': 'DELETE /tasks/{taskId} -> { success: true }',
    },
  },
  helpScout: {
    credential: 'helpScoutOAuth2Api',
    first: ['conversation', 'create'],
    firsts: { customer: 'create', mailbox: 'get', thread: 'create' },
    address: 'https://api.helpscout.net/v2',
    operations: {
      'conversation.get': 'GET /conversations/{conversationId}',
      'conversation.getAll':
        'GET /conversations status=options.status mailbox=options.mailbox folder=options.folder query=options.query tag=options.tags|joined modifiedSince=options.modifiedSince number=options.number sortField=options.sortField sortOrder=options.sortOrder embed=options.embed :first=50 :paged=25 -> one?._embedded?.conversations ?? []',
      'conversation.delete': 'DELETE /conversations/{conversationId} -> { success: true }',
      'customer.get': 'GET /customers/{customerId}',
      'customer.getAll':
        'GET /customers firstName=options.firstName lastName=options.lastName mailbox=options.mailbox query=options.query modifiedSince=options.modifiedSince sortField=options.sortField sortOrder=options.sortOrder :first=50 :paged=25 -> one?._embedded?.customers ?? []',
      'customer.properties': 'GET /customer-properties -> one?._embedded?.["customer-properties"] ?? []',
      'mailbox.get': 'GET /mailboxes/{mailboxId}',
      'mailbox.getAll': 'GET /mailboxes :first=50 :paged=25 -> one?._embedded?.mailboxes ?? []',
      'thread.getAll':
        'GET /conversations/{conversationId}/threads :first=50 :paged=25 -> one?._embedded?.threads ?? []',
    },
  },
  profitWell: {
    credential: 'profitWellApi',
    first: ['metric', 'get'],
    firsts: { company: 'getSetting' },
    address: 'https://api.profitwell.com/v2',
    difference: 'The connection sends the key in the header `Authorization`. ',
    operations: { 'company.getSetting': 'GET /company/settings/' },
  },
};
