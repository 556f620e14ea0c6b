import type { ServiceLines } from './lines.ts';

/** Services of those who look after customers, and of what goes wrong. */
export const ticketServices: Readonly<Record<string, ServiceLines>> = {
  pagerDuty: {
    credential: 'pagerDutyApi',
    first: ['incident', 'create'],
    firsts: { incidentNote: 'create', logEntry: 'get', user: 'get' },
    address: 'https://api.pagerduty.com',
    difference:
      'A key of PagerDuty is sent in the header `Authorization`, as `Token token=…`; a token of OAuth2 as a bearer token. ',
    operations: {
      'incident.get': 'GET /incidents/{incidentId} -> one?.incident',
      'incident.getAll':
        'GET /incidents limit=@100<=100 date_range=options.dateRange incident_key=options.incidentKey service_ids[]=options.serviceIds statuses[]=options.statuses urgencies[]=options.urgencies since=options.since until=options.until sort_by=options.sortBy time_zone=options.timeZone -> one?.incidents ?? []',
      'incidentNote.create':
        'POST /incidents/{incidentId}/notes ^From=email note.content=content -> one?.note',
      'incidentNote.getAll': 'GET /incidents/{incidentId}/notes ~returnAll ~limit -> one?.notes ?? []',
      'logEntry.get': 'GET /log_entries/{logEntryId} -> one?.log_entry',
      'logEntry.getAll':
        'GET /log_entries limit=@100<=100 is_overview=options.isOverview since=options.since until=options.until time_zone=options.timeZone -> one?.log_entries ?? []',
      'user.get': 'GET /users/{userId} -> one?.user',
    },
  },
  zammad: {
    credential: 'zammadTokenAuthApi',
    first: ['user', 'create'],
    firsts: { ticket: 'create', group: 'create', organization: 'create' },
    address: '/api/v1',
    difference:
      'A token of Zammad is sent in the header `Authorization`, as `Token token=…`. Tickets come without their articles, and fields of one’s own are not sent. ',
    operations: {
      'ticket.create':
        'POST /tickets title group customer article.subject=article.articleDetails.subject article.body=article.articleDetails.body article.type=article.articleDetails.type??"note" article.sender=article.articleDetails.sender??"Agent" article.to=article.articleDetails.to article.cc=article.articleDetails.cc article.reply_to=article.articleDetails.reply_to article.internal=article.articleDetails.visibility??"internal"|internal',
      'ticket.get': 'GET /tickets/{id}',
      'ticket.getAll': 'GET /tickets per_page=@50<=100',
      'ticket.update':
        'PUT /tickets/{id} title=updateFields.title group=updateFields.group state_id=updateFields.state_id priority_id=updateFields.priority_id owner_id=updateFields.owner_id customer_id=updateFields.customer_id pending_time=updateFields.pending_time article=updateFields.note|article',
      'ticket.delete': 'DELETE /tickets/{id} -> { success: true }',
      'user.create':
        'POST /users firstname lastname email=additionalFields.email organization=additionalFields.organization phone=additionalFields.phone mobile=additionalFields.mobile department=additionalFields.department fax=additionalFields.fax web=additionalFields.web note=additionalFields.note active=additionalFields.active verified=additionalFields.verified vip=additionalFields.vip city=additionalFields.addressUi.addressDetails.city country=additionalFields.addressUi.addressDetails.country address=additionalFields.addressUi.addressDetails.address zip=additionalFields.addressUi.addressDetails.zip',
      'user.get': 'GET /users/{id}',
      'user.getSelf': 'GET /users/me',
      'user.update':
        'PUT /users/{id} firstname=updateFields.firstname lastname=updateFields.lastname email=updateFields.email organization=updateFields.organization phone=updateFields.phone mobile=updateFields.mobile department=updateFields.department note=updateFields.note active=updateFields.active',
      'user.delete': 'DELETE /users/{id} -> { success: true }',
      'organization.create':
        'POST /organizations name note=additionalFields.note active=additionalFields.active',
      'organization.get': 'GET /organizations/{id}',
      'organization.getAll': 'GET /organizations per_page=@50<=100',
      'organization.update':
        'PUT /organizations/{id} name=updateFields.name note=updateFields.note active=updateFields.active',
      'organization.delete': 'DELETE /organizations/{id} -> { success: true }',
      'group.create': 'POST /groups name note=additionalFields.note active=additionalFields.active',
      'group.get': 'GET /groups/{id}',
      'group.getAll': 'GET /groups per_page=@50<=100',
      'group.update':
        'PUT /groups/{id} name=updateFields.name note=updateFields.note active=updateFields.active',
      'group.delete': 'DELETE /groups/{id} -> { success: true }',
    },
  },
  freshdesk: {
    credential: 'freshdeskApi',
    first: ['ticket', 'create'],
    firsts: { contact: 'create' },
    address: '/api/v2',
    difference:
      'The connection has the address of the account; its key is the user of a sign-in with a password, which may be any. ',
    operations: {
      'ticket.get': 'GET /tickets/{ticketId}',
      'ticket.getAll':
        'GET /tickets per_page=@5<=100 requester_id=options.requesterId email=options.requesterEmail updated_since=options.updatedSince order_by=options.orderBy|snake order_type=options.order include=options.include|joined',
      'ticket.delete': 'DELETE /tickets/{ticketId} -> { success: true }',
      'contact.create':
        'POST /contacts name email address=additionalFields.address company_id=additionalFields.company_id description=additionalFields.description job_title=additionalFields.job_title language=additionalFields.language mobile=additionalFields.mobile phone=additionalFields.phone tags=additionalFields.tags',
      'contact.get': 'GET /contacts/{contactId}',
      'contact.getAll':
        'GET /contacts email=filters.email mobile=filters.mobile phone=filters.phone company_id=filters.company_id state=filters.state',
      'contact.update':
        'PUT /contacts/{contactId} name=additionalFields.name email=additionalFields.email address=additionalFields.address company_id=additionalFields.company_id description=additionalFields.description job_title=additionalFields.job_title language=additionalFields.language mobile=additionalFields.mobile phone=additionalFields.phone tags=additionalFields.tags',
      'contact.delete': 'DELETE /contacts/{contactId} -> { success: true }',
    },
  },
  intercom: {
    credential: 'intercomApi',
    first: ['user', 'create'],
    firsts: { lead: 'create', company: 'create' },
    address: 'https://api.intercom.io',
    difference:
      'Users and leads are contacts in today’s interface, which has no sessions, and no sources of a visit. ',
    operations: {
      'lead.create':
        'POST /contacts role="lead" email name=additionalFields.name phone=additionalFields.phone avatar=additionalFields.avatar unsubscribed_from_emails=additionalFields.unsubscribedFromEmails custom_attributes=customAttributesJson|json',
      'user.delete': 'DELETE /contacts/{id}',
      'user.getAll':
        'GET /contacts per_page=@50<=150 -> (one?.data ?? []).filter(found => found.role == "user")',
      'company.create':
        'POST /companies company_id=companyId name=additionalFields.name plan=additionalFields.plan size=additionalFields.size website=additionalFields.website industry=additionalFields.industry monthly_spend=additionalFields.monthlySpend custom_attributes=customAttributesJson|json',
      'company.update':
        'POST /companies company_id=companyId name=additionalFields.name plan=additionalFields.plan size=additionalFields.size website=additionalFields.website industry=additionalFields.industry monthly_spend=additionalFields.monthlySpend custom_attributes=customAttributesJson|json',
    },
  },
  webflow: {
    credential: 'webflowOAuth2Api',
    first: ['item', 'get'],
    address: 'https://api.webflow.com/v2',
    difference: 'It asks version 2 of the interface, since version 1 has ended. ',
    operations: {
      'item.get': 'GET /collections/{collectionId}/items/{itemId} ~siteId',
      'item.getAll': 'GET /collections/{collectionId}/items ~siteId limit=@100<=100 -> one?.items ?? []',
      'item.delete': 'DELETE /collections/{collectionId}/items/{itemId} ~siteId -> { success: true }',
      'item.deleteItem': 'DELETE /collections/{collectionId}/items/{itemId} ~siteId -> { success: true }',
    },
  },
};
