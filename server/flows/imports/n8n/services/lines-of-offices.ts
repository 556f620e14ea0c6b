import type { ServiceLines } from './lines.ts';

const ACCOUNT = '^Harvest-Account-Id=accountId';

/** The operations of a resource of Harvest, which has the same ones for all. */
const harvest = (resource: string, path: string, made: string): Record<string, string> => ({
  [`${resource}.create`]: `POST /${path} ${ACCOUNT} ${made} ...additionalFields`,
  [`${resource}.get`]: `GET /${path}/{id} ${ACCOUNT}`,
  [`${resource}.getAll`]: `GET /${path} ${ACCOUNT} per_page=@100<=2000 ...filters -> one?.${path} ?? []`,
  [`${resource}.update`]: `PATCH /${path}/{id} ${ACCOUNT} ...updateFields`,
  [`${resource}.delete`]: `DELETE /${path}/{id} ${ACCOUNT}`,
});

const ROW = '(string({{options.rawData??}}) == "true" ? row : { id: row?.id, ...(row?.values ?? { }) })';
const VALUES = 'useColumnNames=options.useColumnNames valueFormat=options.valueFormat';

const HIT = '(string({{simple??true}}) == "false" ? hit : { _id: hit?._id, ...(hit?._source ?? { }) })';

const taiga = (resource: string, path: string, id: string): Record<string, string> => ({
  [`${resource}.create`]: `POST /${path} project=projectId subject ...additionalFields`,
  [`${resource}.get`]: `GET /${path}/{${id}}`,
  [`${resource}.getAll`]: `GET /${path} project=projectId :first=50 :paged=30 ...filters`,
  [`${resource}.delete`]: `DELETE /${path}/{${id}} -> { success: true }`,
});

/** Services of offices: books, files, people and times. */
export const officeServices: Readonly<Record<string, ServiceLines>> = {
  googleBooks: {
    credential: 'googleBooksOAuth2Api',
    first: ['bookshelf', 'get'],
    firsts: { volume: 'get', bookshelfVolume: 'getAll' },
    address: 'https://www.googleapis.com/books/v1',
    operations: {
      'volume.get': 'GET /volumes/{volumeId}',
      'volume.getAll': 'GET /volumes q=searchQuery maxResults=@40<=40 -> one?.items ?? []',
      'bookshelfVolume.add':
        'POST /mylibrary/bookshelves/{shelfId}/addVolume ?volumeId=volumeId :json -> { success: true }',
      'bookshelfVolume.remove':
        'POST /mylibrary/bookshelves/{shelfId}/removeVolume ?volumeId=volumeId :json -> { success: true }',
      'bookshelfVolume.clear':
        'POST /mylibrary/bookshelves/{shelfId}/clearVolumes :json -> { success: true }',
      'bookshelfVolume.move':
        'POST /mylibrary/bookshelves/{shelfId}/moveVolume ?volumeId=volumeId ?volumePosition=volumePosition :json -> { success: true }',
    },
  },
  gSuiteAdmin: {
    credential: 'gSuiteAdminOAuth2Api',
    first: ['user', 'create'],
    firsts: { group: 'create', device: 'get' },
    address: 'https://admin.googleapis.com/admin/directory/v1',
    difference: 'Users have all fields of the projection, and lists are not sorted. ',
    operations: {
      'user.get': 'GET /users/{userId} ~output ~fields projection=projection??"basic"',
      'user.getAll':
        'GET /users ~output ~fields customer=filter.customer??"my_customer" domain=filter.domain query=filter.query showDeleted=filter.showDeleted projection=projection??"basic" maxResults=@100<=500 -> one?.users ?? []',
      'user.update':
        'PUT /users/{userId} name.givenName=updateFields.firstName name.familyName=updateFields.lastName password=updateFields.password primaryEmail=updateFields.primaryEmail changePasswordAtNextLogin=updateFields.changePasswordAtNextLogin archived=updateFields.archived suspended=updateFields.suspendUi orgUnitPath=updateFields.orgUnitPath phones=updateFields.phoneUi.phoneValues emails=updateFields.emailUi.emailValues',
      'user.delete': 'DELETE /users/{userId} -> { deleted: true }',
      'user.addToGroup': 'POST /groups/{groupId}/members id=userId role="MEMBER" -> { added: true }',
      'user.removeFromGroup': 'DELETE /groups/{groupId}/members/{userId} -> { removed: true }',
      'group.create': 'POST /groups name email description=additionalFields.description',
      'group.get': 'GET /groups/{groupId}',
      'group.getAll':
        'GET /groups customer=filter.customer??"my_customer" domain=filter.domain query=filter.query maxResults=@100<=200 -> one?.groups ?? []',
      'group.update':
        'PUT /groups/{groupId} name=updateFields.name email=updateFields.email description=updateFields.description',
      'group.delete': 'DELETE /groups/{groupId} -> { deleted: true }',
    },
  },
  harvest: {
    credential: 'harvestApi',
    first: ['task', 'getAll'],
    firsts: {
      client: 'getAll',
      contact: 'getAll',
      company: 'get',
      project: 'getAll',
      timeEntry: 'getAll',
      user: 'me',
    },
    address: 'https://api.harvestapp.com/v2',
    operations: {
      ...harvest('client', 'clients', 'name'),
      ...harvest('task', 'tasks', 'name'),
      ...harvest(
        'project',
        'projects',
        'name client_id=clientId is_billable=isBillable??true bill_by=billBy??"none" budget_by=budgetBy??"none"',
      ),
      'company.get': `GET /company ${ACCOUNT}`,
      'timeEntry.get': `GET /time_entries/{id} ${ACCOUNT}`,
      'timeEntry.getAll': `GET /time_entries ${ACCOUNT} per_page=@100<=2000 ...filters -> one?.time_entries ?? []`,
      'timeEntry.createByDuration': `POST /time_entries ${ACCOUNT} project_id=projectId task_id=taskId spent_date=spentDate ...additionalFields`,
      'timeEntry.createByStartEnd': `POST /time_entries ${ACCOUNT} project_id=projectId task_id=taskId spent_date=spentDate ...additionalFields`,
      'timeEntry.update': `PATCH /time_entries/{id} ${ACCOUNT} ...updateFields`,
      'timeEntry.delete': `DELETE /time_entries/{id} ${ACCOUNT}`,
      'timeEntry.restartTime': `PATCH /time_entries/{id}/restart ${ACCOUNT} :json`,
      'timeEntry.stopTime': `PATCH /time_entries/{id}/stop ${ACCOUNT} :json`,
      'user.me': `GET /users/me ${ACCOUNT}`,
      'user.get': `GET /users/{id} ${ACCOUNT}`,
      'user.getAll': `GET /users ${ACCOUNT} per_page=@100<=2000 ...filters -> one?.users ?? []`,
    },
  },
  box: {
    credential: 'boxOAuth2Api',
    first: ['file', 'upload'],
    firsts: { folder: 'create' },
    address: 'https://api.box.com/2.0',
    operations: {
      'file.get': 'GET /files/{fileId} fields=additionalFields.fields',
      'file.copy':
        'POST /files/{fileId}/copy ?fields=additionalFields.fields parent.id=parentId??"0" name=additionalFields.name version=additionalFields.version',
      'file.download': 'GET /files/{fileId}/content ~binaryPropertyName :file',
      'file.delete': 'DELETE /files/{fileId} -> { success: true }',
      'file.search':
        'GET /search query type="file" limit=@100<=200 fields=additionalFields.fields file_extensions=additionalFields.file_extensions ancestor_folder_ids=additionalFields.ancestor_folder_ids sort=additionalFields.sort direction=additionalFields.direction scope=additionalFields.scope -> one?.entries ?? []',
      'folder.create': 'POST /folders ?fields=options.fields name parent.id=parentId??"0"',
      'folder.get': 'GET /folders/{folderId}',
      'folder.delete': 'DELETE /folders/{folderId} recursive -> { success: true }',
      'folder.search':
        'GET /search query type="folder" limit=@100<=200 fields=additionalFields.fields ancestor_folder_ids=additionalFields.ancestor_folder_ids sort=additionalFields.sort direction=additionalFields.direction scope=additionalFields.scope -> one?.entries ?? []',
    },
  },
  coda: {
    credential: 'codaApi',
    first: ['table', 'createRow'],
    firsts: { formula: 'get', control: 'get', view: 'get' },
    address: 'https://coda.io/apis/v1',
    operations: {
      'table.getRow': `GET /docs/{docId}/tables/{tableId}/rows/{rowId} ${VALUES} -> [one].map(row => ${ROW})[0]`,
      'table.getAllRows': `GET /docs/{docId}/tables/{tableId}/rows limit=@50<=500 query=options.query sortBy=options.sortBy visibleOnly=options.visibleOnly ${VALUES} -> (one?.items ?? []).map(row => ${ROW})`,
      'table.deleteRow': 'DELETE /docs/{docId}/tables/{tableId}/rows/{rowId} -> { success: true }',
      'table.pushButton': 'POST /docs/{docId}/tables/{tableId}/rows/{rowId}/buttons/{columnId} :json',
      'table.getColumn': 'GET /docs/{docId}/tables/{tableId}/columns/{columnId}',
      'table.getAllColumns': 'GET /docs/{docId}/tables/{tableId}/columns limit=@50<=100 -> one?.items ?? []',
      'formula.get': 'GET /docs/{docId}/formulas/{formulaId}',
      'formula.getAll': 'GET /docs/{docId}/formulas limit=@50<=100 -> one?.items ?? []',
      'control.get': 'GET /docs/{docId}/controls/{controlId}',
      'control.getAll': 'GET /docs/{docId}/controls limit=@50<=100 -> one?.items ?? []',
      'view.get': 'GET /docs/{docId}/tables/{viewId}',
      'view.getAll': 'GET /docs/{docId}/tables tableTypes="view" limit=@50<=100 -> one?.items ?? []',
      'view.getAllViewRows': `GET /docs/{docId}/tables/{viewId}/rows limit=@50<=500 query=options.query sortBy=options.sortBy ${VALUES} -> (one?.items ?? []).map(row => ${ROW})`,
    },
  },
  wise: {
    credential: 'wiseApi',
    first: ['account', 'getBalances'],
    firsts: { exchangeRate: 'get', profile: 'get', quote: 'get', recipient: 'getAll', transfer: 'get' },
    difference:
      'The address of the connection is `https://api.wise.com`, or that of the sandbox; profiles and balances have the shape of today’s versions. ',
    operations: {
      'exchangeRate.get': 'GET /v1/rates source target time=additionalFields.time',
      'account.getBalances': 'GET /v4/profiles/{profileId}/balances types="STANDARD"',
      'profile.get': 'GET /v2/profiles/{profileId}',
      'profile.getAll': 'GET /v2/profiles',
      'recipient.getAll': 'GET /v1/accounts :first=5',
      'transfer.getAll':
        'GET /v1/transfers profile=profileId limit=@5<=100 status=filters.status sourceCurrency=filters.sourceCurrency targetCurrency=filters.targetCurrency',
      'transfer.get': 'GET /v1/transfers/{transferId}',
      'transfer.delete': 'PUT /v1/transfers/{transferId}/cancel :json',
    },
  },
  elasticsearch: {
    credential: 'elasticsearchApi',
    first: ['document', 'get'],
    firsts: { index: 'create' },
    operations: {
      'document.get': `GET /{indexId}/_doc/{documentId} _source_includes=options._source_includes _source_excludes=options._source_excludes -> [one].map(hit => ${HIT})[0]`,
      'document.getAll': `POST /{indexId}/_search ?size=@50<=10000 ?sort=options.sort ?_source_includes=options._source_includes ?_source_excludes=options._source_excludes =options.query|json :json -> (one?.hits?.hits ?? []).map(hit => ${HIT})`,
      'document.delete': 'DELETE /{indexId}/_doc/{documentId}',
      'index.delete': 'DELETE /{indexId} -> { success: true }',
      'index.get': 'GET /{indexId} -> { id: {{indexId}}, ...one?.[{{indexId}}] }',
    },
  },
  taiga: {
    credential: 'taigaApi',
    first: ['issue', 'create'],
    firsts: { epic: 'create', task: 'create', userStory: 'create' },
    address: '/api/v1',
    difference:
      'The connection takes a token of Taiga in place of a password; changes, which need the version of what is changed, are a placeholder. ',
    operations: {
      ...taiga('issue', 'issues', 'issueId'),
      ...taiga('epic', 'epics', 'epicId'),
      ...taiga('task', 'tasks', 'taskId'),
      ...taiga('userStory', 'userstories', 'userStoryId'),
    },
  },
};
