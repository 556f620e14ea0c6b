import type { ServiceLines } from './lines.ts';

/** Platforms that companies work with: leads, hours, deliveries, content, security. `platforms.ts` has what no line says of them. */
export const platformServices: Readonly<Record<string, ServiceLines>> = {
  lemlist: {
    credential: 'lemlistApi',
    first: ['activity', 'getAll'],
    firsts: { campaign: 'getAll', enrich: 'get', lead: 'create', team: 'get', unsubscribe: 'add' },
    address: 'https://api.lemlist.com/api',
    operations: {
      'activity.getAll':
        'GET /activities campaignId=filters.campaignId leadId=filters.leadId type=filters.type isFirst=filters.isFirst version=filters.version limit=@5<=100',
      'campaign.getAll': 'GET /campaigns version=filters.version limit=@5<=100',
      'campaign.getStats': 'GET /campaigns/{campaignId}/stats startDate endDate timezone',
      'lead.create':
        'POST /campaigns/{campaignId}/leads/{email} ?deduplicate=additionalFields.deduplicate firstName=additionalFields.firstName lastName=additionalFields.lastName companyName=additionalFields.companyName companyDomain=additionalFields.companyDomain icebreaker=additionalFields.icebreaker jobTitle=additionalFields.jobTitle linkedinUrl=additionalFields.linkedinUrl phone=additionalFields.phone picture=additionalFields.picture findEmail=additionalFields.findEmail findPhone=additionalFields.findPhone verifyEmail=additionalFields.verifyEmail linkedinEnrichment=additionalFields.linkedinEnrichment',
      'lead.get': 'GET /leads/{email}',
      'lead.delete': 'DELETE /campaigns/{campaignId}/leads/{email} action="remove"',
      'lead.unsubscribe': 'DELETE /campaigns/{campaignId}/leads/{email}',
      'team.get': 'GET /team',
      'team.getCredits': 'GET /team/credits',
      'unsubscribe.add': 'POST /unsubscribes/{email} :json',
      'unsubscribe.delete': 'DELETE /unsubscribes/{email}',
      'unsubscribe.getAll': 'GET /unsubscribes limit=@5<=100',
      'enrich.get': 'GET /enrich/{enrichId}',
      'enrich.enrichLead':
        'POST /leads/{leadId}/enrich ?findEmail ?verifyEmail ?linkedinEnrichment ?findPhone',
      'enrich.enrichPerson':
        'POST /enrich ?findEmail ?verifyEmail ?linkedinEnrichment ?findPhone ?email=additionalFields.email ?firstName=additionalFields.firstName ?lastName=additionalFields.lastName ?linkedinUrl=additionalFields.linkedinUrl ?companyName=additionalFields.companyName ?companyDomain=additionalFields.companyDomain',
    },
  },
  dropcontact: {
    credential: 'dropcontactApi',
    first: ['contact', 'enrich'],
    address: 'https://api.dropcontact.com/v1',
    difference:
      'Each item is enriched by a request of its own; the connection sends the key in the header `X-Access-Token`. ',
    operations: {
      'contact.fetchRequest': 'GET /enrich/all/{requestId} -> one?.data ?? []',
    },
  },
  humanticAi: {
    credential: 'humanticAiApi',
    first: ['profile', 'create'],
    address: 'https://api.humantic.ai/v1',
    secret: 'apikey',
    difference: 'The secret of the connection stands as `apikey` in the query. ',
    operations: {
      'profile.get': 'GET /user-profile userid=userId persona=options.persona|joined -> one?.results',
    },
  },
  clockify: {
    credential: 'clockifyApi',
    first: ['project', 'create'],
    firsts: {
      client: 'create',
      tag: 'create',
      task: 'create',
      timeEntry: 'create',
      user: 'getAll',
      workspace: 'getAll',
    },
    address: 'https://api.clockify.me/api/v1',
    difference: 'The connection sends the key in the header `X-Api-Key`. ',
    operations: {
      'client.create': 'POST /workspaces/{workspaceId}/clients name',
      'client.get': 'GET /workspaces/{workspaceId}/clients/{clientId}',
      'client.getAll':
        'GET /workspaces/{workspaceId}/clients name=additionalFields.name archived=additionalFields.archived sort-order=additionalFields.sort-order page-size=@100<=5000',
      'client.update':
        'PUT /workspaces/{workspaceId}/clients/{clientId} name address=updateFields.address archived=updateFields.archived',
      'client.delete': 'DELETE /workspaces/{workspaceId}/clients/{clientId}',
      'project.create':
        'POST /workspaces/{workspaceId}/projects name billable=additionalFields.billable color=additionalFields.color clientId=additionalFields.clientId isPublic=additionalFields.isPublic note=additionalFields.note estimate=additionalFields.estimateUi.estimateValues',
      'project.get': 'GET /workspaces/{workspaceId}/projects/{projectId}',
      'project.getAll':
        'GET /workspaces/{workspaceId}/projects name=additionalFields.name archived=additionalFields.archived billable=additionalFields.billable clients=additionalFields.clients contains-client=additionalFields.contains-client client-status=additionalFields.client-status users=additionalFields.users contains-user=additionalFields.contains-user user-status=additionalFields.user-status is-template=additionalFields.is-template sort-column=additionalFields.sort-column sort-order=additionalFields.sort-order page-size=@100<=5000',
      'project.update':
        'PUT /workspaces/{workspaceId}/projects/{projectId} name=updateFields.name billable=updateFields.billable color=updateFields.color clientId=updateFields.clientId isPublic=updateFields.isPublic note=updateFields.note',
      'project.delete': 'DELETE /workspaces/{workspaceId}/projects/{projectId}',
      'tag.create': 'POST /workspaces/{workspaceId}/tags name',
      'tag.getAll':
        'GET /workspaces/{workspaceId}/tags name=additionalFields.name archived=additionalFields.archived sort-column=additionalFields.sort-column sort-order=additionalFields.sort-order page-size=@100<=5000',
      'tag.update':
        'PUT /workspaces/{workspaceId}/tags/{tagId} name=updateFields.name archived=updateFields.archived',
      'tag.delete': 'DELETE /workspaces/{workspaceId}/tags/{tagId} -> { success: true }',
      'task.create':
        'POST /workspaces/{workspaceId}/projects/{projectId}/tasks name assigneeIds=additionalFields.assigneeIds estimate=additionalFields.estimate|hours',
      'task.get': 'GET /workspaces/{workspaceId}/projects/{projectId}/tasks/{taskId}',
      'task.getAll':
        'GET /workspaces/{workspaceId}/projects/{projectId}/tasks name=filters.name is-active=filters.is-active sort-column=filters.sort-column sort-order=filters.sort-order page-size=@100<=5000',
      'task.update':
        'PUT /workspaces/{workspaceId}/projects/{projectId}/tasks/{taskId} name=updateFields.name status=updateFields.status assigneeIds=updateFields.assigneeIds estimate=updateFields.estimate|hours',
      'task.delete': 'DELETE /workspaces/{workspaceId}/projects/{projectId}/tasks/{taskId}',
      'timeEntry.create':
        'POST /workspaces/{workspaceId}/time-entries start=start|utc end=additionalFields.end|utc description=additionalFields.description billable=additionalFields.billable projectId=additionalFields.projectId taskId=additionalFields.taskId tagIds=additionalFields.tagIds customFields=additionalFields.customFieldsUi.customFieldsValues',
      'timeEntry.get':
        'GET /workspaces/{workspaceId}/time-entries/{timeEntryId} hydrated=additionalFields.hydrated',
      'timeEntry.delete': 'DELETE /workspaces/{workspaceId}/time-entries/{timeEntryId} -> { success: true }',
      'user.getAll':
        'GET /workspaces/{workspaceId}/users email=additionalFields.email name=additionalFields.name status=additionalFields.status sort-column=additionalFields.sort-column sort-order=additionalFields.sort-order page-size=@100<=5000',
      'workspace.getAll': 'GET /workspaces :first=100',
    },
  },
  bubble: {
    credential: 'bubbleApi',
    first: ['object', 'get'],
    difference: 'The address of the connection ends with `/api/1.1` or `/version-test/api/1.1`. ',
    operations: {
      'object.get': 'GET /obj/{typeName|type}/{objectId} -> one?.response',
      'object.delete': 'DELETE /obj/{typeName|type}/{objectId} -> { success: true }',
    },
  },
  strapi: {
    credential: 'strapiTokenApi',
    first: ['entry', 'get'],
    address: '/api',
    difference:
      'It is the interface of version 4 and later, and the connection has a token of the service instead of a password. ',
    operations: {
      'entry.get': 'GET /{contentType}/{entryId} -> one?.data',
      'entry.getAll':
        'GET /{contentType} sort=options.sort|joined pagination[pageSize]=@50<=100 -> one?.data ?? []',
      'entry.delete': 'DELETE /{contentType}/{entryId}',
    },
  },
  medium: {
    credential: 'mediumApi',
    first: ['post', 'create'],
    firsts: { publication: 'getAll' },
    address: 'https://api.medium.com/v1',
    operations: {},
  },
  urlScanIo: {
    credential: 'urlScanIoApi',
    first: ['scan', 'perform'],
    address: 'https://urlscan.io/api/v1',
    difference: 'The connection sends the key in the header `API-Key`. ',
    operations: {
      'scan.perform':
        'POST /scan url visibility=additionalFields.visibility customagent=additionalFields.customAgent overrideSafety=additionalFields.overrideSafety referer=additionalFields.referer tags=additionalFields.tags|list -> renameKeys(one, { uuid: "scanId" })',
      'scan.get': 'GET /result/{scanId}',
      'scan.getAll':
        'GET /search q=filters.query size=@50<=10000 -> (one?.results ?? []).map(found => renameKeys(found, { _id: "scanId" }))',
    },
  },
  uptimeRobot: {
    credential: 'uptimeRobotApi',
    first: ['account', 'get'],
    firsts: { monitor: 'getAll' },
    address: 'https://api.uptimerobot.com/v2',
    secret: 'api_key',
    difference:
      'The secret of the connection stands as `api_key` in the query, which the service takes for reading monitors only. ',
    operations: {
      'monitor.get': 'POST /getMonitors :form monitors=id format="json" -> one?.monitors ?? []',
      'monitor.getAll':
        'POST /getMonitors :form format="json" monitors=filters.monitors search=filters.search statuses=filters.statuses|dashed types=filters.types|dashed alert_contacts=filters.alert_contacts|one logs=filters.logs|one mwindows=filters.mwindow|one response_times=filters.response_times|one limit=@50<=50 -> one?.monitors ?? []',
    },
  },
  payPal: {
    credential: 'payPalApi',
    first: ['payout', 'create'],
    firsts: { payoutItem: 'get' },
    address: 'https://api-m.paypal.com/v1',
    difference: 'The app itself signs in (`grant: client` of the connection). ',
    operations: {
      'payout.get': 'GET /payments/payouts/{payoutBatchId} page_size=@100<=1000 -> one?.items ?? []',
      'payoutItem.get': 'GET /payments/payouts-item/{payoutItemId}',
      'payoutItem.cancel': 'POST /payments/payouts-item/{payoutItemId}/cancel :json',
    },
  },
  onfleet: {
    credential: 'onfleetApi',
    first: ['task', 'get'],
    firsts: {
      admin: 'getAll',
      destination: 'get',
      hub: 'getAll',
      organization: 'get',
      recipient: 'get',
      team: 'getAll',
      worker: 'get',
    },
    address: 'https://onfleet.com/api/v2',
    operations: {
      'task.get': 'GET /tasks/{id}',
      'task.getAll':
        'GET /tasks/all from=filters.from|ms to=filters.to|ms state=filters.state|joined :first=64 :paged -> one?.tasks ?? []',
      'task.delete': 'DELETE /tasks/{id} -> { success: true }',
      'task.complete':
        'POST /tasks/{id}/complete completionDetails.success=success??true completionDetails.notes=additionalFields.notes -> { success: true }',
      'task.update':
        'PUT /tasks/{id} notes=updateFields.notes completeAfter=updateFields.completeAfter|ms completeBefore=updateFields.completeBefore|ms pickupTask=updateFields.pickupTask quantity=updateFields.quantity serviceTime=updateFields.serviceTime',
      'destination.get': 'GET /destinations/{id}',
      'admin.getAll': 'GET /admins :first=64',
      'admin.create':
        'POST /admins name email phone=additionalFields.phone isReadOnly=additionalFields.isReadOnly',
      'organization.get': 'GET /organization',
      'organization.getDelegatee': 'GET /organizations/{id}',
      'recipient.get': 'GET /recipients/{id} ~getBy',
      'recipient.create':
        'POST /recipients name=recipientName phone=recipientPhone notes=additionalFields.recipientNotes skipSMSNotifications=additionalFields.recipientSkipSMSNotifications',
      'recipient.update':
        'PUT /recipients/{id} name=updateFields.recipientName phone=updateFields.recipientPhone notes=updateFields.notes skipSMSNotifications=updateFields.skipSMSNotifications',
      'team.getAll': 'GET /teams :first=64',
      'team.create':
        'POST /teams name workers managers hub=additionalFields.hub enableSelfAssignment=additionalFields.enableSelfAssignment',
      'worker.get': 'GET /workers/{id} filter=options.filter|joined analytics=options.analytics',
      'worker.create':
        'POST /workers name phone teams capacity=additionalFields.capacity displayName=additionalFields.displayName vehicle=additionalFields.vehicle.vehicleProperties',
      'worker.update':
        'PUT /workers/{id} name=updateFields.name teams=updateFields.teams capacity=updateFields.capacity displayName=updateFields.displayName',
    },
  },
  bambooHr: {
    credential: 'bambooHrApi',
    first: ['employee', 'create'],
    firsts: { companyReport: 'get', employeeDocument: 'delete', file: 'delete' },
    difference:
      'The address of the connection is `https://api.bamboohr.com/api/gateway.php/COMPANY/v1`, and its user is the key. ',
    operations: {
      'employee.create':
        'POST /employees firstName lastName ~synced dateOfBirth=additionalFields.dateOfBirth|day department=additionalFields.department division=additionalFields.division employeeNumber=additionalFields.employeeNumber hireDate=additionalFields.hireDate|day location=additionalFields.location mobilePhone=additionalFields.mobilePhone preferredName=additionalFields.preferredName',
      'employee.getAll': 'GET /employees/directory :first=5 -> one?.employees ?? []',
      'employeeDocument.download': 'GET /employees/{employeeId}/files/{fileId} :file=output',
    },
  },
  mailcheck: {
    credential: 'mailcheckApi',
    first: ['email', 'check'],
    address: 'https://api.mailcheck.co/v1',
    operations: { 'email.check': 'POST /singleEmail:check email' },
  },
  travisCi: {
    credential: 'travisCiApi',
    first: ['build', 'cancel'],
    address: 'https://api.travis-ci.com',
    headers: { 'Travis-API-Version': '3' },
    difference:
      'The connection sends the header `Authorization` with the word `token` before the token of the service. ',
    operations: {
      'build.get': 'GET /build/{buildId} include=additionalFields.include',
      'build.getAll': 'GET /builds include=additionalFields.include limit=@100<=100 -> one?.builds ?? []',
      'build.cancel': 'POST /build/{buildId}/cancel :json',
      'build.restart': 'POST /build/{buildId}/restart :json',
      'build.trigger':
        'POST /repo/{slug}/requests request.branch=branch request.message=additionalFields.message request.merge_mode=additionalFields.mergeMode',
    },
  },
  cortex: {
    credential: 'cortexApi',
    first: ['analyzer', 'execute'],
    firsts: { job: 'get' },
    address: '/api',
    operations: {
      'job.get': 'GET /job/{jobId}',
      'job.report': 'GET /job/{jobId}/report',
    },
  },
  gong: {
    credential: 'gongApi',
    first: ['call', 'getAll'],
    firsts: { user: 'get' },
    address: '/v2',
    difference:
      'Items of calls have the fields of the service, with the facts of a call in `metaData`; the address of the connection is that which Gong shows beside the key. ',
    operations: {
      'call.get':
        'POST /calls/extensive filter.callIds=call|list contentSelector=!{"exposedFields":{"parties":true}} -> one?.calls ?? []',
      'call.getAll':
        'POST /calls/extensive filter.fromDateTime=filters.fromDateTime|utc filter.toDateTime=filters.toDateTime|utc filter.workspaceId=filters.workspaceId filter.callIds=filters.callIds|list filter.primaryUserIds=filters.primaryUserIds|list :first=50 :paged=100 -> one?.calls ?? []',
      'user.get': 'POST /users/extensive filter.userIds=user|list -> one?.users ?? []',
      'user.getAll':
        'POST /users/extensive filter.createdFromDateTime=filters.createdFromDateTime|utc filter.createdToDateTime=filters.createdToDateTime|utc filter.userIds=filters.userIds|list :first=50 :paged=100 -> one?.users ?? []',
    },
  },
  disqus: {
    credential: 'disqusApi',
    first: ['forum', 'get'],
    address: 'https://disqus.com/api/3.0',
    secret: 'api_key',
    difference: 'The secret of the connection stands as `api_key` in the query. ',
    operations: {
      'forum.get':
        'GET /forums/details.json forum=id attach=additionalFields.attach related=additionalFields.related -> one?.response',
      'forum.getPosts':
        'GET /forums/listPosts.json forum=id limit=@100<=100 order=additionalFields.order query=additionalFields.query include=additionalFields.include related=additionalFields.related since=additionalFields.since filters=additionalFields.filters -> one?.response ?? []',
      'forum.getCategories':
        'GET /forums/listCategories.json forum=id limit=@100<=100 order=additionalFields.order -> one?.response ?? []',
      'forum.getThreads':
        'GET /forums/listThreads.json forum=id limit=@100<=100 order=additionalFields.order include=additionalFields.include related=additionalFields.related since=additionalFields.since thread=additionalFields.thread -> one?.response ?? []',
    },
  },
  copper: {
    credential: 'copperApi',
    first: ['company', 'create'],
    firsts: { lead: 'create', opportunity: 'create', person: 'create', task: 'create' },
    address: 'https://api.copper.com/developer_api/v1',
    headers: { 'X-PW-Application': 'developer_api' },
    difference:
      'The connection sends the key in the header `X-PW-AccessToken`, and has the header `X-PW-UserEmail`. ',
    operations: {
      'company.create':
        'POST /companies name address=additionalFields.address.addressFields details=additionalFields.details email_domain=additionalFields.email_domain phone_numbers=additionalFields.phone_numbers.phoneFields',
      'company.get': 'GET /companies/{companyId}',
      'company.getAll': 'POST /companies/search name=filterFields.name page_size=@5<=200',
      'company.update':
        'PUT /companies/{companyId} name=updateFields.name address=updateFields.address.addressFields details=updateFields.details phone_numbers=updateFields.phone_numbers.phoneFields',
      'company.delete': 'DELETE /companies/{companyId}',
      'lead.create':
        'POST /leads name address=additionalFields.address.addressFields email=additionalFields.email.emailFields phone_numbers=additionalFields.phone_numbers.phoneFields',
      'lead.get': 'GET /leads/{leadId}',
      'lead.getAll': 'POST /leads/search name=filterFields.name page_size=@5<=200',
      'lead.update':
        'PUT /leads/{leadId} name=updateFields.name address=updateFields.address.addressFields details=updateFields.details email=updateFields.email.emailFields phone_numbers=updateFields.phone_numbers.phoneFields',
      'lead.delete': 'DELETE /leads/{leadId}',
      'person.create':
        'POST /people name address=additionalFields.address.addressFields details=additionalFields.details email_domain=additionalFields.email_domain emails=additionalFields.emails.emailFields phone_numbers=additionalFields.phone_numbers.phoneFields',
      'person.get': 'GET /people/{personId}',
      'person.getAll': 'POST /people/search name=filterFields.name page_size=@5<=200',
      'person.update':
        'PUT /people/{personId} name=updateFields.name address=updateFields.address.addressFields details=updateFields.details emails=updateFields.emails.emailFields phone_numbers=updateFields.phone_numbers.phoneFields',
      'person.delete': 'DELETE /people/{personId}',
      'opportunity.create':
        'POST /opportunities name customer_source_id=customerSourceId primary_contact_id=primaryContactId',
      'opportunity.get': 'GET /opportunities/{opportunityId}',
      'opportunity.getAll': 'POST /opportunities/search page_size=@5<=200',
      'opportunity.update':
        'PUT /opportunities/{opportunityId} name=updateFields.name customer_source_id=updateFields.customer_source_id primary_contact_id=updateFields.primary_contact_id',
      'opportunity.delete': 'DELETE /opportunities/{opportunityId}',
      'task.create':
        'POST /tasks name assignee_id=additionalFields.assignee_id details=additionalFields.details priority=additionalFields.priority status=additionalFields.status',
      'task.get': 'GET /tasks/{taskId}',
      'task.getAll': 'POST /tasks/search page_size=@5<=200',
      'task.update':
        'PUT /tasks/{taskId} name=updateFields.name assignee_id=updateFields.assignee_id details=updateFields.details priority=updateFields.priority status=updateFields.status',
      'task.delete': 'DELETE /tasks/{taskId}',
    },
  },
  bitwarden: {
    credential: 'bitwardenApi',
    first: ['collection', 'get'],
    firsts: { event: 'getAll', group: 'get', member: 'get' },
    difference:
      'The address of the connection is `https://api.bitwarden.com`, or that of a server of one’s own with `/api`, and the app itself signs in (`grant: client`). ',
    operations: {
      'collection.get': 'GET /public/collections/{collectionId}',
      'collection.getAll': 'GET /public/collections :first=10 -> one?.data ?? []',
      'collection.delete': 'DELETE /public/collections/{collectionId} -> { success: true }',
      'event.getAll':
        'GET /public/events actingUserId=filters.actingUserId itemId=filters.itemID start=filters.start end=filters.end :first=10 -> one?.data ?? []',
      'group.get': 'GET /public/groups/{groupId}',
      'group.getAll': 'GET /public/groups :first=10 -> one?.data ?? []',
      'group.getMembers':
        'GET /public/groups/{groupId}/member-ids -> (one ?? []).map(id => ({ memberId: id }))',
      'group.delete': 'DELETE /public/groups/{groupId} -> { success: true }',
      'group.updateMembers':
        'PUT /public/groups/{groupId}/member-ids memberIds=memberIds|list -> { success: true }',
      'member.get': 'GET /public/members/{memberId}',
      'member.getAll': 'GET /public/members :first=10 -> one?.data ?? []',
      'member.getGroups':
        'GET /public/members/{memberId}/group-ids -> (one ?? []).map(id => ({ groupId: id }))',
      'member.delete': 'DELETE /public/members/{memberId} -> { success: true }',
      'member.updateGroups':
        'PUT /public/members/{memberId}/group-ids groupIds=groupIds|list -> { success: true }',
    },
  },
};
