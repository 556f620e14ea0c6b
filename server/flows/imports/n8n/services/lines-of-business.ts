import type { ServiceLines } from './lines.ts';
import { PERSON } from './people.ts';

/** The session and the window of a browser, which stand in the item if the node does not name them. */
const WINDOW = '/sessions/{sessionId??$}/windows/{windowId??$}';
const OF_WINDOW = 'sessionId: {{sessionId??$}}, windowId: {{windowId??$}}';
const EXTRACTED = `{ ${OF_WINDOW}, ...(string({{additionalFields.parseJsonOutput??}}) == "true" && string({{additionalFields.outputSchema??}}).startsWith("{") ? { output: json(one.data.modelResponse) } : one) }`;
const SCOPED = 'configuration.visualAnalysis.scope=additionalFields.visualScope';
const NAVIGATING =
  'waitForNavigation=additionalFields.waitForNavigation|set configuration.waitForNavigationConfig.waitUntil=additionalFields.waitForNavigation';
const OWN = '~sessionMode ~autoTerminateSession';

/** Services of sales, of offices and of those who look after customers. */
export const businessServices: Readonly<Record<string, ServiceLines>> = {
  airtop: {
    credential: 'airtopApi',
    first: ['session', 'create'],
    firsts: { extraction: 'getPaginated', interaction: 'click', window: 'create', file: 'getMany' },
    address: 'https://api.airtop.ai/api/v1',
    difference:
      'A session that a node makes for itself is left to its own time limit if the node fails. As a tool it gives the whole answer. ',
    operations: {
      'session.save':
        'PUT /sessions/{sessionId??$}/save-profile-on-termination/{profileName} -> { sessionId: {{sessionId??$}}, profileName: {{profileName}} }',
      'session.terminate': 'DELETE /sessions/{sessionId??$} -> { success: true }',
      'window.create': `POST /sessions/{sessionId??$}/windows url waitUntil=additionalFields.waitUntil -> { sessionId: {{sessionId??$}}, windowId: one.data.windowId, ...one }`,
      'window.load': `POST ${WINDOW} url waitUntil=additionalFields.waitUntil -> { ${OF_WINDOW}, ...one }`,
      'window.getLiveView': `GET ${WINDOW} includeNavigationBar=additionalFields.includeNavigationBar screenResolution=additionalFields.screenResolution disableResize=additionalFields.disableResize -> { ${OF_WINDOW}, ...one }`,
      'window.list': 'GET /sessions/{sessionId??$}/windows -> { sessionId: {{sessionId??$}}, ...one }',
      'window.takeScreenshot': `POST ${WINDOW}/screenshot :json -> { ${OF_WINDOW}, image: one?.meta?.screenshots?.[0]?.dataUrl }`,
      'window.close': `DELETE ${WINDOW} -> { ${OF_WINDOW}, ...one }`,
      'interaction.click': `POST ${WINDOW}/click elementDescription configuration.clickType=clickType??"click" ${SCOPED} ${NAVIGATING} -> { ${OF_WINDOW}, ...one }`,
      'interaction.hover': `POST ${WINDOW}/hover elementDescription ${SCOPED} -> { ${OF_WINDOW}, ...one }`,
      'interaction.type': `POST ${WINDOW}/type text pressEnterKey elementDescription ${SCOPED} ${NAVIGATING} -> { ${OF_WINDOW}, ...one }`,
      'extraction.query': `POST ${WINDOW}/page-query ${OWN} prompt configuration.experimental.includeVisualAnalysis=additionalFields.includeVisualAnalysis??false|enabled configuration.outputSchema=additionalFields.outputSchema -> ${EXTRACTED}`,
      'extraction.getPaginated': `POST ${WINDOW}/paginated-extraction ${OWN} prompt configuration.paginationMode=additionalFields.paginationMode configuration.interactionMode=additionalFields.interactionMode configuration.outputSchema=additionalFields.outputSchema -> ${EXTRACTED}`,
      'extraction.scrape': `POST ${WINDOW}/scrape-content ${OWN} :json -> { ${OF_WINDOW}, ...one }`,
      'file.getMany':
        'GET /files sessionIds limit=@10<=100 -> {{outputSingleItem??}} == false ? one.data.files : one',
      'file.deleteFile': 'DELETE /files/{fileId}',
    },
  },
  microsoftSharePoint: {
    credential: 'microsoftSharePointOAuth2Api',
    first: ['file', 'download'],
    firsts: { item: 'getAll', list: 'getAll' },
    address: 'https://graph.microsoft.com/v1.0',
    difference: 'It asks Microsoft Graph, and items come with all their fields. ',
    operations: {
      'file.download': 'GET /sites/{site}/drive/items/{file}/content ~folder :file',
      'file.update': 'PATCH /sites/{site}/drive/items/{file} ~folder name=fileName',
      'item.create': 'POST /sites/{site}/lists/{list}/items fields=columns.value',
      'item.get': 'GET /sites/{site}/lists/{list}/items/{item} ~simplify expand="fields"',
      'item.getAll':
        'GET /sites/{site}/lists/{list}/items ~simplify ~options.fields $filter=filter $top=@50<=200 expand="fields" -> one?.value ?? []',
      'item.delete': 'DELETE /sites/{site}/lists/{list}/items/{item} -> { deleted: true }',
      'list.get': 'GET /sites/{site}/lists/{list} ~simplify',
      'list.getAll': 'GET /sites/{site}/lists ~simplify $top=@50<=200 -> one?.value ?? []',
    },
  },
  microsoftToDo: {
    credential: 'microsoftToDoOAuth2Api',
    first: ['task', 'get'],
    firsts: { list: 'get', linkedResource: 'get' },
    address: 'https://graph.microsoft.com/v1.0/me/todo',
    difference: 'Times are sent in UTC. ',
    operations: {
      'task.create':
        'POST /lists/{taskListId}/tasks title body=additionalFields.content|note dueDateTime=additionalFields.dueDateTime|moment reminderDateTime=additionalFields.reminderDateTime|moment isReminderOn=additionalFields.reminderDateTime|set importance=additionalFields.importance status=additionalFields.status',
      'task.get': 'GET /lists/{taskListId}/tasks/{taskId}',
      'task.getAll': 'GET /lists/{taskListId}/tasks $top=@50<=100 -> one?.value ?? []',
      'task.update':
        'PATCH /lists/{taskListId}/tasks/{taskId} title=updateFields.title body=updateFields.content|note dueDateTime=updateFields.dueDateTime|moment reminderDateTime=updateFields.reminderDateTime|moment isReminderOn=updateFields.reminderDateTime??false|set importance=updateFields.importance status=updateFields.status',
      'task.delete': 'DELETE /lists/{taskListId}/tasks/{taskId} -> { success: true }',
      'list.create': 'POST /lists displayName',
      'list.get': 'GET /lists/{listId}',
      'list.getAll': 'GET /lists $top=@50<=100 -> one?.value ?? []',
      'list.update': 'PATCH /lists/{listId} displayName',
      'list.delete': 'DELETE /lists/{listId} -> { success: true }',
      'linkedResource.create':
        'POST /lists/{taskListId}/tasks/{taskId}/linkedResources displayName applicationName externalId=additionalFields.externalId webUrl=additionalFields.webUrl',
      'linkedResource.get': 'GET /lists/{taskListId}/tasks/{taskId}/linkedResources/{linkedResourceId}',
      'linkedResource.getAll':
        'GET /lists/{taskListId}/tasks/{taskId}/linkedResources $top=@50<=100 -> one?.value ?? []',
      'linkedResource.update':
        'PATCH /lists/{taskListId}/tasks/{taskId}/linkedResources/{linkedResourceId} displayName=updateFields.displayName applicationName=updateFields.applicationName externalId=updateFields.externalId webUrl=updateFields.webUrl',
      'linkedResource.delete':
        'DELETE /lists/{taskListId}/tasks/{taskId}/linkedResources/{linkedResourceId} -> { success: true }',
    },
  },
  googleContacts: {
    credential: 'googleContactsOAuth2Api',
    first: ['contact', 'create'],
    address: 'https://people.googleapis.com/v1',
    operations: {
      'contact.create':
        'POST /people:createContact names[].familyName=familyName names[].givenName=givenName names[].middleName=additionalFields.middleName names[].honorificPrefix=additionalFields.honorificPrefix names[].honorificSuffix=additionalFields.honorificSuffix emailAddresses=additionalFields.emailsUi.emailsValues phoneNumbers=additionalFields.phoneUi.phoneValues organizations=additionalFields.companyUi.companyValues addresses=additionalFields.addressesUi.addressesValues relations=additionalFields.relationsUi.relationsValues userDefined=additionalFields.customFieldsUi.customFieldsValues biographies[].value=additionalFields.biographies -> { ...one, contactId: last(split(one.resourceName, "/")) }',
      'contact.get': `GET /people/{contactId} personFields=fields|people -> [one].map(person => (${PERSON}))[0]`,
      'contact.delete': 'DELETE /people/{contactId}:deleteContact -> { success: true }',
    },
  },
  googleChat: {
    credential: 'googleChatOAuth2Api',
    first: ['message', 'create'],
    firsts: { space: 'get', member: 'get' },
    address: 'https://chat.googleapis.com/v1',
    operations: {
      'message.get': 'GET /{messageId|path}',
      'message.update': 'PATCH /{messageId|path} ?updateMask="text" text=updateFieldsUi.text',
      'message.delete': 'DELETE /{messageId|path}',
      'space.get': 'GET /{spaceId|path}',
      'space.getAll': 'GET /spaces pageSize=@100<=1000 -> one?.spaces ?? []',
      'member.get': 'GET /{memberId|path}',
      'member.getAll': 'GET /{spaceId|path}/members pageSize=@100<=1000 -> one?.memberships ?? []',
    },
  },
  googleBusinessProfile: {
    credential: 'googleBusinessProfileOAuth2Api',
    first: ['post', 'create'],
    firsts: { review: 'get' },
    address: 'https://mybusiness.googleapis.com/v4',
    difference: 'The times of events and offers are not sent. ',
    operations: {
      'post.create':
        'POST /{account|path}/{location|path}/localPosts topicType=postType??"STANDARD" summary alertType languageCode=additionalOptions.languageCode callToAction.actionType=additionalOptions.callToActionType callToAction.url=additionalOptions.url',
      'post.get': 'GET /{post|path} ~account ~location',
      'post.getAll':
        'GET /{account|path}/{location|path}/localPosts pageSize=@20<=100 -> one?.localPosts ?? []',
      'post.delete': 'DELETE /{post|path} ~account ~location -> { success: true }',
      'review.get': 'GET /{account|path}/{location|path}/reviews/{review|review}',
      'review.getAll': 'GET /{account|path}/{location|path}/reviews pageSize=@20<=50 -> one?.reviews ?? []',
      'review.reply': 'PUT /{account|path}/{location|path}/reviews/{review|review}/reply comment=reply',
      'review.delete':
        'DELETE /{account|path}/{location|path}/reviews/{review|review}/reply -> { success: true }',
    },
  },
  googleCloudNaturalLanguage: {
    credential: 'googleCloudNaturalLanguageOAuth2Api',
    first: ['document', 'analyzeSentiment'],
    address: 'https://language.googleapis.com/v1',
    operations: {
      'document.analyzeSentiment':
        'POST /documents:analyzeSentiment ~source document.type=options.documentType??"PLAIN_TEXT" document.content=content document.gcsContentUri=gcsContentUri document.language=options.language encodingType=options.encodingType??"UTF16"',
    },
  },
  xero: {
    credential: 'xeroOAuth2Api',
    first: ['invoice', 'create'],
    firsts: { contact: 'create' },
    address: 'https://api.xero.com/api.xro/2.0',
    difference: 'Lists are not sorted by a field. ',
    operations: {
      'invoice.create':
        'POST /Invoices ^Xero-Tenant-Id=organizationId Invoices[].Type=type Invoices[].Contact.ContactID=contactId Invoices[].LineItems=lineItemsUi.lineItemsValues|capitals Invoices[].BrandingThemeID=additionalFields.brandingThemeId Invoices[].CurrencyCode=additionalFields.currency Invoices[].CurrencyRate=additionalFields.currencyRate Invoices[].Date=additionalFields.date Invoices[].DueDate=additionalFields.dueDate Invoices[].ExpectedPaymentDate=additionalFields.expectedPaymentDate Invoices[].InvoiceNumber=additionalFields.invoiceNumber Invoices[].LineAmountTypes=additionalFields.lineAmountType Invoices[].PlannedPaymentDate=additionalFields.plannedPaymentDate Invoices[].Reference=additionalFields.reference Invoices[].SentToContact=additionalFields.sendToContact Invoices[].Status=additionalFields.status Invoices[].Url=additionalFields.url -> one?.Invoices ?? []',
      'invoice.update':
        'POST /Invoices/{invoiceId} ^Xero-Tenant-Id=organizationId Invoices[].Contact.ContactID=updateFields.contactId Invoices[].LineItems=updateFields.lineItemsUi.lineItemsValues|capitals Invoices[].BrandingThemeID=updateFields.brandingThemeId Invoices[].CurrencyCode=updateFields.currency Invoices[].CurrencyRate=updateFields.currencyRate Invoices[].Date=updateFields.date Invoices[].DueDate=updateFields.dueDate Invoices[].ExpectedPaymentDate=updateFields.expectedPaymentDate Invoices[].InvoiceNumber=updateFields.invoiceNumber Invoices[].LineAmountTypes=updateFields.lineAmountType Invoices[].PlannedPaymentDate=updateFields.plannedPaymentDate Invoices[].Reference=updateFields.reference Invoices[].SentToContact=updateFields.sendToContact Invoices[].Status=updateFields.status Invoices[].Url=updateFields.url -> one?.Invoices ?? []',
      'invoice.get': 'GET /Invoices/{invoiceId} ^Xero-Tenant-Id=organizationId -> one?.Invoices ?? []',
      'invoice.getAll':
        'GET /Invoices ^Xero-Tenant-Id=organizationId page=!1 pageSize=@100<=1000 where=options.where Statuses=options.statuses|joined createdByMyApp=options.createdByMyApp -> one?.Invoices ?? []',
      'contact.create':
        'POST /Contacts ^Xero-Tenant-Id=organizationId Contacts[].Name=name Contacts[].AccountNumber=additionalFields.accountNumber Contacts[].BankAccountDetails=additionalFields.bankAccountDetails Contacts[].ContactNumber=additionalFields.contactNumber Contacts[].ContactStatus=additionalFields.contactStatus Contacts[].DefaultCurrency=additionalFields.defaultCurrency Contacts[].EmailAddress=additionalFields.emailAddress Contacts[].FirstName=additionalFields.firstName Contacts[].LastName=additionalFields.lastName Contacts[].Phones=additionalFields.phonesUi.phonesValues|capitals Contacts[].PurchasesDefaultAccountCode=additionalFields.purchasesDefaultAccountCode Contacts[].SalesDefaultAccountCode=additionalFields.salesDefaultAccountCode Contacts[].TaxNumber=additionalFields.taxNumber Contacts[].XeroNetworkKey=additionalFields.xeroNetworkKey -> one?.Contacts ?? []',
      'contact.update':
        'POST /Contacts/{contactId} ^Xero-Tenant-Id=organizationId Contacts[].Name=updateFields.name Contacts[].AccountNumber=updateFields.accountNumber Contacts[].BankAccountDetails=updateFields.bankAccountDetails Contacts[].ContactNumber=updateFields.contactNumber Contacts[].ContactStatus=updateFields.contactStatus Contacts[].DefaultCurrency=updateFields.defaultCurrency Contacts[].EmailAddress=updateFields.emailAddress Contacts[].FirstName=updateFields.firstName Contacts[].LastName=updateFields.lastName Contacts[].Phones=updateFields.phonesUi.phonesValues|capitals Contacts[].PurchasesDefaultAccountCode=updateFields.purchasesDefaultAccountCode Contacts[].SalesDefaultAccountCode=updateFields.salesDefaultAccountCode Contacts[].TaxNumber=updateFields.taxNumber Contacts[].XeroNetworkKey=updateFields.xeroNetworkKey -> one?.Contacts ?? []',
      'contact.get': 'GET /Contacts/{contactId} ^Xero-Tenant-Id=organizationId -> one?.Contacts ?? []',
      'contact.getAll':
        'GET /Contacts ^Xero-Tenant-Id=organizationId page=!1 pageSize=@100<=1000 where=options.where includeArchived=options.includeArchived -> one?.Contacts ?? []',
    },
  },
};
