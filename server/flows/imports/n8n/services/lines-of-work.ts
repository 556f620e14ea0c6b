import type { ServiceLines } from './lines.ts';

/** Services for work: tasks, customers, tickets, mails. `compared.ts` says with which description of its vendor each was compared. */
export const workServices: Readonly<Record<string, ServiceLines>> = {
  clickUp: {
    credential: 'clickUpApi',
    first: ['task', 'create'],
    firsts: { comment: 'create', folder: 'create', list: 'create' },
    address: 'https://api.clickup.com/api/v2',
    operations: {
      'task.create':
        'POST /list/{list}/task ~team ~space ~folder ~folderless name description=additionalFields.content status=additionalFields.status priority=additionalFields.priority assignees=additionalFields.assignees|numbers tags=additionalFields.tags due_date=additionalFields.dueDate|ms start_date=additionalFields.startDate|ms parent=additionalFields.parentId',
      'task.get': 'GET /task/{id}',
      'task.getAll':
        'GET /list/{list}/task ~team ~space ~folder ~folderless :first=50 :all :paged=100 subtasks=filters.subtasks archived=filters.archived include_closed=filters.includeClosed order_by=filters.orderBy -> one?.tasks ?? []',
      'task.update':
        'PUT /task/{id} name=updateFields.name description=updateFields.content status=updateFields.status priority=updateFields.priority due_date=updateFields.dueDate|ms start_date=updateFields.startDate|ms parent=updateFields.parentId',
      'task.delete': 'DELETE /task/{id}',
      'task.setCustomField': 'POST /task/{task}/field/{field} value',
      'taskTag.add': 'POST /task/{taskId}/tag/{tagName} :json',
      'list.get': 'GET /list/{list}',
      'folder.get': 'GET /folder/{folder}',
    },
  },
  trello: {
    credential: 'trelloApi',
    first: ['card', 'create'],
    firsts: { board: 'create', list: 'create', cardComment: 'create', label: 'getAll', checklist: 'getAll' },
    address: 'https://api.trello.com/1',
    operations: {
      'card.create':
        'POST /cards ?idList=listId ?name ?desc=description ?due=additionalFields.due ?dueComplete=additionalFields.dueComplete ?idLabels=additionalFields.idLabels ?idMembers=additionalFields.idMembers ?pos=additionalFields.pos ?urlSource=additionalFields.urlSource',
      'card.get': 'GET /cards/{id} fields=additionalFields.fields',
      'card.update':
        'PUT /cards/{id} ?name=updateFields.name ?desc=updateFields.description ?idList=updateFields.idList ?due=updateFields.due ?dueComplete=updateFields.dueComplete ?closed=updateFields.closed ?idLabels=updateFields.idLabels ?idMembers=updateFields.idMembers ?pos=updateFields.pos',
      'card.delete': 'DELETE /cards/{id}',
      'cardComment.create': 'POST /cards/{cardId}/actions/comments ?text',
      'board.create': 'POST /boards/ ?name ?desc=description',
      'board.get': 'GET /boards/{id} fields=additionalFields.fields',
      'list.create': 'POST /lists ?name ?idBoard',
      'list.get': 'GET /lists/{id}',
      'list.getAll': 'GET /boards/{id}/lists fields=additionalFields.fields :first=20',
      'list.getCards': 'GET /lists/{id}/cards fields=additionalFields.fields :first=20',
      'label.getAll': 'GET /boards/{boardId}/labels',
      'checklist.create': 'POST /cards/{cardId}/checklists ?name',
    },
  },
  asana: {
    credential: 'asanaApi',
    first: ['task', 'create'],
    firsts: { project: 'get', taskComment: 'add', subtask: 'create', user: 'get' },
    address: 'https://app.asana.com/api/1.0',
    operations: {
      'task.create':
        'POST /tasks data.name=name data.workspace=workspace data.projects=otherProperties.projects data.notes=otherProperties.notes data.assignee=otherProperties.assignee data.due_on=otherProperties.due_on data.completed=otherProperties.completed -> one?.data',
      'task.get': 'GET /tasks/{id} -> one?.data',
      'task.getAll':
        'GET /tasks project=filters.project workspace=filters.workspace assignee=filters.assignee section=filters.section completed_since=filters.completed_since modified_since=filters.modified_since limit=@100<=100 -> one?.data ?? []',
      'task.update':
        'PUT /tasks/{id} data.name=otherProperties.name data.notes=otherProperties.notes data.assignee=otherProperties.assignee data.due_on=otherProperties.due_on data.completed=otherProperties.completed -> one?.data',
      'task.delete': 'DELETE /tasks/{id}',
      'task.search':
        'GET /workspaces/{workspace}/tasks/search text=searchTaskProperties.text completed=searchTaskProperties.completed -> one?.data ?? []',
      'taskComment.add': 'POST /tasks/{id}/stories data.text=text -> one?.data',
      'subtask.create':
        'POST /tasks/{taskId}/subtasks data.name=name data.notes=otherProperties.notes -> one?.data',
      'project.get': 'GET /projects/{id} -> one?.data',
      'user.get': 'GET /users/{userId} -> one?.data',
    },
  },
  todoist: {
    credential: 'todoistApi',
    first: ['task', 'create'],
    address: 'https://api.todoist.com/api/v1',
    operations: {
      'task.create':
        'POST /tasks content project_id=project labels description=options.description priority=options.priority due_datetime=options.dueDateTime due_string=options.dueString due_lang=options.dueLang section_id=options.section parent_id=options.parentId',
      'task.get': 'GET /tasks/{taskId}',
      'task.getAll':
        'GET /tasks project_id=filters.projectId section_id=filters.sectionId label=filters.labelId ids=filters.ids limit=@50<=200 -> one?.results ?? []',
      'task.update':
        'POST /tasks/{taskId} content=updateFields.content description=updateFields.description priority=updateFields.priority labels=updateFields.labels due_datetime=updateFields.dueDateTime due_string=updateFields.dueString due_lang=updateFields.dueLang',
      'task.close': 'POST /tasks/{taskId}/close :json',
      'task.reopen': 'POST /tasks/{taskId}/reopen :json',
      'task.delete': 'DELETE /tasks/{taskId}',
    },
  },
  googleTasks: {
    credential: 'googleTasksOAuth2Api',
    first: ['task', 'create'],
    address: 'https://tasks.googleapis.com/tasks/v1',
    operations: {
      'task.create':
        'POST /lists/{task}/tasks ?parent=additionalFields.parent ?previous=additionalFields.previous title notes=additionalFields.notes due=additionalFields.dueDate status=additionalFields.status completed=additionalFields.completed',
      'task.get': 'GET /lists/{task}/tasks/{taskId}',
      'task.getAll':
        'GET /lists/{task}/tasks showCompleted=additionalFields.showCompleted showHidden=additionalFields.showHidden dueMin=additionalFields.dueMin dueMax=additionalFields.dueMax updatedMin=additionalFields.updatedMin completedMin=additionalFields.completedMin completedMax=additionalFields.completedMax maxResults=@20<=100 -> one?.items ?? []',
      'task.update':
        'PATCH /lists/{task}/tasks/{taskId} title=updateFields.title notes=updateFields.notes due=updateFields.dueDate status=updateFields.status completed=updateFields.completed',
      'task.delete': 'DELETE /lists/{task}/tasks/{taskId}',
    },
  },
  pipedrive: {
    credential: 'pipedriveApi',
    first: ['deal', 'create'],
    firsts: {
      activity: 'create',
      lead: 'create',
      note: 'create',
      organization: 'create',
      person: 'create',
      product: 'getAll',
    },
    address: 'https://api.pipedrive.com',
    difference:
      'Deals, persons, organizations and activities have the fields of version 2 of the interface. ',
    operations: {
      'deal.create':
        'POST /api/v2/deals ~associateWith title org_id person_id value=additionalFields.value currency=additionalFields.currency status=additionalFields.status stage_id=additionalFields.stage_id label_ids=additionalFields.label|numbers visible_to=additionalFields.visible_to|number owner_id=additionalFields.user_id -> one?.data',
      'deal.get': 'GET /api/v2/deals/{dealId} ~resolveProperties -> one?.data',
      'deal.getAll':
        'GET /api/v2/deals limit=@100<=500 status=filters.status stage_id=filters.stage_id -> one?.data ?? []',
      'deal.update':
        'PATCH /api/v2/deals/{dealId} title=updateFields.title value=updateFields.value currency=updateFields.currency status=updateFields.status stage_id=updateFields.stage_id org_id=updateFields.org_id person_id=updateFields.person_id label_ids=updateFields.label|numbers -> one?.data',
      'deal.delete': 'DELETE /api/v2/deals/{dealId} -> one?.data',
      'deal.search':
        'GET /api/v2/deals/search term limit=@100<=100 exact_match=exactMatch -> (one?.data?.items ?? []).map(found => found.item)',
      'person.create':
        'POST /api/v2/persons name emails=additionalFields.email|values phones=additionalFields.phone|values org_id=additionalFields.org_id owner_id=additionalFields.owner_id label_ids=additionalFields.label|numbers -> one?.data',
      'person.get': 'GET /api/v2/persons/{personId} ~resolveProperties -> one?.data',
      'person.getAll': 'GET /api/v2/persons limit=@100<=500 -> one?.data ?? []',
      'person.update':
        'PATCH /api/v2/persons/{personId} name=updateFields.name emails=updateFields.email|values phones=updateFields.phone|values org_id=updateFields.org_id -> one?.data',
      'person.search':
        'GET /api/v2/persons/search term limit=@100<=100 fields=additionalFields.fields|joined exact_match=additionalFields.exactMatch -> (one?.data?.items ?? []).map(found => found.item)',
      'organization.create':
        'POST /api/v2/organizations name owner_id=additionalFields.owner_id -> one?.data',
      'organization.get': 'GET /api/v2/organizations/{organizationId} ~resolveProperties -> one?.data',
      'organization.getAll': 'GET /api/v2/organizations limit=@100<=500 -> one?.data ?? []',
      'organization.update':
        'PATCH /api/v2/organizations/{organizationId} name=updateFields.name -> one?.data',
      'organization.search':
        'GET /api/v2/organizations/search term limit=@100<=100 -> (one?.data?.items ?? []).map(found => found.item)',
      'lead.create':
        'POST /v1/leads ~associateWith title person_id organization_id owner_id=additionalFields.owner_id label_ids=additionalFields.label_ids -> one?.data',
      'lead.get': 'GET /v1/leads/{leadId} -> one?.data',
      'note.create':
        'POST /v1/notes content person_id=additionalFields.person_id org_id=additionalFields.org_id deal_id=additionalFields.deal_id lead_id=additionalFields.lead_id -> one?.data',
      'activity.create':
        'POST /api/v2/activities subject done=done|flag type note=additionalFields.note deal_id=additionalFields.deal_id due_date=additionalFields.due_date|day org_id=additionalFields.org_id participants=additionalFields.person_id|participants owner_id=additionalFields.user_id -> one?.data',
    },
  },
  zendesk: {
    credential: 'zendeskApi',
    first: ['ticket', 'create'],
    firsts: { user: 'create', organization: 'create' },
    address: '/api/v2',
    operations: {
      'ticket.create':
        'POST /tickets ~jsonParameters ticket.comment.body=description ticket.subject=additionalFields.subject ticket.tags=additionalFields.tags ticket.status=additionalFields.status ticket.type=additionalFields.type ticket.priority=additionalFields.priority ticket.external_id=additionalFields.externalId ticket.recipient=additionalFields.recipient ticket.group_id=additionalFields.group -> one?.ticket',
      'ticket.get': 'GET /tickets/{id} -> one?.ticket',
      'ticket.update':
        'PUT /tickets/{id} ~jsonParameters ticket.subject=updateFields.subject ticket.tags=updateFields.tags ticket.status=updateFields.status ticket.type=updateFields.type ticket.priority=updateFields.priority ticket.external_id=updateFields.externalId ticket.assignee_email=updateFields.assigneeEmail ticket.comment.body=updateFields.publicReply -> one?.ticket',
      'ticket.delete': 'DELETE /tickets/{id}',
      'user.get': 'GET /users/{id} -> one?.user',
      'user.getAll': 'GET /users role[]=filters.role per_page=@100<=100 -> one?.users ?? []',
      'user.update':
        'PUT /users/{id} user.phone=updateFields.phone user.external_id=updateFields.external_id user.name=updateFields.name -> one?.user',
      'organization.get': 'GET /organizations/{id} -> one?.organization',
    },
  },
  salesforce: {
    credential: 'salesforceOAuth2Api',
    first: ['lead', 'create'],
    firsts: { account: 'create', contact: 'create', opportunity: 'create', search: 'query', task: 'create' },
    address: '/services/data/v59.0',
    operations: {
      'lead.create':
        'POST /sobjects/Lead Company=company LastName=lastname FirstName=additionalFields.firstname Email=additionalFields.email Phone=additionalFields.phone MobilePhone=additionalFields.mobilePhone Title=additionalFields.title City=additionalFields.city State=additionalFields.state Country=additionalFields.country Website=additionalFields.website Description=additionalFields.description LeadSource=additionalFields.leadSource Status=additionalFields.status',
      'lead.get': 'GET /sobjects/Lead/{leadId}',
      'lead.update':
        'PATCH /sobjects/Lead/{leadId} Company=updateFields.company LastName=updateFields.lastname FirstName=updateFields.firstname Email=updateFields.email Phone=updateFields.phone MobilePhone=updateFields.mobilePhone Title=updateFields.title City=updateFields.city State=updateFields.state Country=updateFields.country Website=updateFields.website Status=updateFields.status',
      'contact.create':
        'POST /sobjects/Contact LastName=lastname FirstName=additionalFields.firstName Email=additionalFields.email Phone=additionalFields.phone AccountId=additionalFields.acconuntId',
      'contact.upsert':
        'PATCH /sobjects/Contact/{externalId}/{externalIdValue} LastName=lastname FirstName=additionalFields.firstName Email=additionalFields.email Phone=additionalFields.phone AccountId=additionalFields.acconuntId',
      'account.create':
        'POST /sobjects/Account Name=name Phone=additionalFields.phone Website=additionalFields.website Industry=additionalFields.industry Description=additionalFields.description',
      'account.upsert': 'PATCH /sobjects/Account/{externalId}/{externalIdValue} Name=name',
      'account.get': 'GET /sobjects/Account/{accountId}',
      'opportunity.create': 'POST /sobjects/Opportunity Name=name CloseDate=closeDate StageName=stageName',
      'search.query': 'GET /query q=query -> one?.records ?? []',
    },
  },
  microsoftTeams: {
    credential: 'microsoftTeamsOAuth2Api',
    first: ['channel', 'create'],
    firsts: { channelMessage: 'create', chatMessage: 'create' },
    address: 'https://graph.microsoft.com/v1.0',
    operations: {
      'channel.create': 'POST /teams/{teamId}/channels displayName=name description=options.description',
      'channel.get': 'GET /teams/{teamId}/channels/{channelId}',
      'channel.getAll': 'GET /teams/{teamId}/channels -> one?.value ?? []',
      'channel.update': 'PATCH /teams/{teamId}/channels/{channelId} displayName=updateFields.name',
      'channelMessage.create':
        'POST /teams/{teamId}/channels/{channelId}/messages ~options.includeLinkToWorkflow body.contentType=contentType body.content=message',
      'channelMessage.getAll':
        'GET /teams/{teamId}/channels/{channelId}/messages $top=@50<=50 -> one?.value ?? []',
      'chatMessage.create':
        'POST /chats/{chatId}/messages ~options.includeLinkToWorkflow body.contentType=contentType body.content=message',
      'chatMessage.get': 'GET /chats/{chatId}/messages/{messageId}',
      'chatMessage.getAll': 'GET /chats/{chatId}/messages $top=@50<=50 -> one?.value ?? []',
    },
  },
  mattermost: {
    credential: 'mattermostApi',
    first: ['message', 'post'],
    firsts: { channel: 'create', reaction: 'create', user: 'create' },
    address: '/api/v4',
    operations: {
      'message.post': 'POST /posts channel_id=channelId message',
      'message.postEphemeral':
        'POST /posts/ephemeral user_id=userId post.channel_id=channelId post.message=message',
      'message.delete': 'DELETE /posts/{postId}',
      'channel.create': 'POST /channels team_id=teamId name=channel display_name=displayName type="O"',
      'channel.addUser': 'POST /channels/{channelId}/members user_id=userId',
      'channel.members': 'GET /channels/{channelId}/members per_page=@100<=200',
      'reaction.create': 'POST /reactions user_id=userId post_id=postId emoji_name=emojiName',
      'user.getByEmail': 'GET /users/email/{email}',
    },
  },
  zoom: {
    credential: 'zoomApi',
    first: ['meeting', 'create'],
    address: 'https://api.zoom.us/v2',
    operations: {
      'meeting.create':
        'POST /users/me/meetings topic type=additionalFields.type start_time=additionalFields.startTime duration=additionalFields.duration timezone=additionalFields.timeZone password=additionalFields.password agenda=additionalFields.agenda',
      'meeting.get': 'GET /meetings/{meetingId}',
      'meeting.getAll': 'GET /users/me/meetings type=filters.type page_size=@30<=300 -> one?.meetings ?? []',
      'meeting.update':
        'PATCH /meetings/{meetingId} topic=updateFields.topic start_time=updateFields.startTime duration=updateFields.duration timezone=updateFields.timeZone',
      'meeting.delete': 'DELETE /meetings/{meetingId}',
    },
  },
  serviceNow: {
    credential: 'serviceNowOAuth2Api',
    first: ['user', 'get'],
    address: '/api/now/table',
    operations: {
      'incident.create':
        'POST /incident short_description description=additionalFields.description caller_id=additionalFields.caller_id urgency=additionalFields.urgency impact=additionalFields.impact -> one?.result',
      'incident.get': 'GET /incident/{id} -> one?.result',
      'incident.getAll':
        'GET /incident sysparm_query=options.sysparm_query sysparm_display_value=options.sysparm_display_value sysparm_limit=@50<=1000 -> one?.result ?? []',
      'incident.update':
        'PATCH /incident/{id} work_notes=updateFields.work_notes state=updateFields.state description=updateFields.description -> one?.result',
      'tableRecord.getAll':
        'GET /{tableName} sysparm_query=options.sysparm_query sysparm_fields=options.sysparm_fields|joined sysparm_exclude_reference_link=options.sysparm_exclude_reference_link sysparm_limit=@50<=1000 -> one?.result ?? []',
    },
  },
  mailchimp: {
    credential: 'mailchimpApi',
    first: ['member', 'create'],
    firsts: { memberTag: 'create', listGroup: 'getAll' },
    address: '/3.0',
    operations: {
      'member.create':
        'POST /lists/{list}/members email_address=email status language=options.language tags=options.tags|list timestamp_signup=options.timestampSignup vip=options.vip',
      'member.get': 'GET /lists/{list}/members/{email|md5}',
      'member.getAll':
        'GET /lists/{list}/members count=@500<=1000 since_last_changed=options.sinceLastChanged status=options.status -> one?.members ?? []',
      'member.update':
        'PATCH /lists/{list}/members/{email|md5} email_address=updateFields.email_address status=updateFields.status language=updateFields.language',
      'member.delete': 'POST /lists/{list}/members/{email|md5}/actions/delete-permanent :json',
    },
  },
  mautic: {
    credential: 'mauticApi',
    first: ['contact', 'create'],
    firsts: { contactSegment: 'add', company: 'create' },
    address: '/api',
    operations: {
      'contact.create':
        'POST /contacts/new email firstname=firstName lastname=lastName company mobile=additionalFields.mobile phone=additionalFields.phone tags=additionalFields.tags -> one?.contact',
      'contact.get': 'GET /contacts/{contactId} -> one?.contact',
      'contact.getAll': 'GET /contacts search=options.search limit=@30<=500 -> values(one?.contacts ?? { })',
      'contact.update':
        'PATCH /contacts/{contactId}/edit email=updateFields.email firstname=updateFields.firstName lastname=updateFields.lastName mobile=updateFields.mobile tags=updateFields.tags -> one?.contact',
      'contactSegment.add': 'POST /segments/{segmentId}/contact/{contactId}/add :json',
      'contactSegment.remove': 'POST /segments/{segmentId}/contact/{contactId}/remove :json',
    },
  },
  sendInBlue: {
    credential: 'sendInBlueApi',
    first: ['email', 'send'],
    firsts: { contact: 'create', sender: 'create' },
    address: 'https://api.brevo.com/v3',
    operations: {
      'contact.create': 'POST /contacts email',
      'contact.get': 'GET /contacts/{identifier}',
      'contact.getAll': 'GET /contacts limit=@100<=1000 -> one?.contacts ?? []',
    },
  },
  mailgun: {
    credential: 'mailgunApi',
    first: ['', ''],
    difference:
      'The address of the connection ends with the domain: `https://api.mailgun.net/v3/example.com`. ',
    operations: {
      '.': 'POST /messages :multipart from=fromEmail to=toEmail cc=ccEmail bcc=bccEmail subject text html',
    },
  },
  highLevel: {
    credential: 'highLevelOAuth2Api',
    first: ['contact', 'create'],
    firsts: { opportunity: 'create', task: 'create' },
    address: 'https://services.leadconnectorhq.com',
    headers: { Version: '2021-07-28' },
    operations: {
      'contact.get': 'GET /contacts/{contactId} -> one?.contact',
      'contact.update':
        'PUT /contacts/{contactId} email=updateFields.email firstName=updateFields.firstName lastName=updateFields.lastName phone=updateFields.phone tags=updateFields.tags|list -> one?.contact',
      'contact.delete': 'DELETE /contacts/{contactId}',
      'opportunity.get': 'GET /opportunities/{opportunityId} -> one?.opportunity',
      'opportunity.update':
        'PUT /opportunities/{opportunityId} name=updateFields.name assignedTo=updateFields.assignedTo monetaryValue=updateFields.monetaryValue status=updateFields.status -> one?.opportunity',
    },
  },
  wooCommerce: {
    credential: 'wooCommerceApi',
    first: ['product', 'create'],
    firsts: { order: 'create', customer: 'create' },
    address: '/wp-json/wc/v3',
    operations: {
      'product.create':
        'POST /products name type=additionalFields.type regular_price=additionalFields.regularPrice description=additionalFields.description short_description=additionalFields.shortDescription sku=additionalFields.sku',
      'product.get': 'GET /products/{productId}',
      'product.getAll':
        'GET /products per_page=@50<=100 search=options.search sku=options.sku max_price=options.maxPrice min_price=options.minPrice stock_status=options.stockStatus category=options.category status=options.status',
      'product.update':
        'PUT /products/{productId} name=updateFields.name regular_price=updateFields.regularPrice sale_price=updateFields.salePrice stock_quantity=updateFields.stockQuantity description=updateFields.description status=updateFields.status',
      'product.delete': 'DELETE /products/{productId}',
      'order.get': 'GET /orders/{orderId}',
      'order.getAll':
        'GET /orders per_page=@50<=100 search=options.search after=options.after before=options.before status=options.status customer=options.customer product=options.product',
      'order.update':
        'PUT /orders/{orderId} status=updateFields.status customer_note=updateFields.customerNote',
      'customer.getAll': 'GET /customers per_page=@50<=100 email=filters.email',
      'customer.get': 'GET /customers/{customerId}',
    },
  },
  shopify: {
    credential: 'shopifyApi',
    first: ['order', 'create'],
    firsts: { product: 'create' },
    address: '/admin/api/2025-07',
    operations: {
      'order.get': 'GET /orders/{orderId}.json fields=options.fields -> one?.order',
      'order.getAll':
        'GET /orders.json limit=@50<=250 status=options.status fulfillment_status=options.fulfillmentStatus financial_status=options.financialStatus created_at_min=options.createdAtMin updated_at_min=options.updatedAtMin -> one?.orders ?? []',
      'order.update':
        'PUT /orders/{orderId}.json order.email=updateFields.email order.note=updateFields.note order.tags=updateFields.tags -> one?.order',
      'order.delete': 'DELETE /orders/{orderId}.json',
      'product.create':
        'POST /products.json product.title=title product.body_html=additionalFields.body_html product.vendor=additionalFields.vendor product.product_type=additionalFields.product_type product.handle=additionalFields.handle product.tags=additionalFields.tags product.images=additionalFields.images -> one?.product',
      'product.get': 'GET /products/{productId}.json fields=additionalFields.fields -> one?.product',
      'product.getAll':
        'GET /products.json limit=@50<=250 handle=additionalFields.handle title=additionalFields.title vendor=additionalFields.vendor -> one?.products ?? []',
      'product.update':
        'PUT /products/{productId}.json product.title=updateFields.title product.body_html=updateFields.body_html product.handle=updateFields.handle product.published_at=updateFields.published_at product.tags=updateFields.tags -> one?.product',
      'product.delete': 'DELETE /products/{productId}.json',
    },
  },
  quickbooks: {
    credential: 'quickBooksOAuth2Api',
    first: ['customer', 'get'],
    firsts: { invoice: 'get', item: 'get', payment: 'get', bill: 'get', vendor: 'get', estimate: 'get' },
    difference:
      'The address of the connection ends with the company: `https://quickbooks.api.intuit.com/v3/company/1`. ',
    operations: {
      'customer.create':
        'POST /customer DisplayName=displayName PrimaryEmailAddr.Address=additionalFields.PrimaryEmailAddr PrimaryPhone.FreeFormNumber=additionalFields.PrimaryPhone GivenName=additionalFields.GivenName FamilyName=additionalFields.FamilyName CompanyName=additionalFields.CompanyName BillAddr=additionalFields.BillAddr.details -> one?.Customer',
      'customer.get': 'GET /customer/{customerId} -> one?.Customer',
      'invoice.get': 'GET /invoice/{invoiceId} -> one?.Invoice',
      'invoice.send': 'POST /invoice/{invoiceId}/send ?sendTo=email :json -> one?.Invoice',
      'item.get': 'GET /item/{itemId} -> one?.Item',
      'payment.get': 'GET /payment/{paymentId} -> one?.Payment',
      'vendor.get': 'GET /vendor/{vendorId} -> one?.Vendor',
      'bill.get': 'GET /bill/{billId} -> one?.Bill',
      'estimate.get': 'GET /estimate/{estimateId} -> one?.Estimate',
    },
  },
};
