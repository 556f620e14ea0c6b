import type { ServiceLines } from './lines.ts';

/** Tools of developers and of the web: builds, errors, boards, packages, links, words. `tools.ts` has what no line says of them. */
export const toolServices: Readonly<Record<string, ServiceLines>> = {
  sentryIo: {
    credential: 'sentryIoApi',
    first: ['event', 'get'],
    firsts: { issue: 'get', organization: 'get', project: 'get', release: 'get', team: 'get' },
    address: '/api/0',
    difference: 'The address of the connection is `https://sentry.io`, or that of a server of one’s own. ',
    operations: {
      'event.get': 'GET /projects/{organizationSlug}/{projectSlug}/events/{eventId}/',
      'event.getAll':
        'GET /projects/{organizationSlug}/{projectSlug}/events/ full=full??true :first=100 :paged',
      'issue.get': 'GET /issues/{issueId}/',
      'issue.getAll':
        'GET /projects/{organizationSlug}/{projectSlug}/issues/ statsPeriod=additionalFields.statsPeriod shortIdLookup=additionalFields.shortIdLookUp query=additionalFields.query limit=@100<=100',
      'issue.update':
        'PUT /issues/{issueId}/ status=additionalFields.status assignedTo=additionalFields.assignedTo hasSeen=additionalFields.hasSeen isBookmarked=additionalFields.isBookmarked isSubscribed=additionalFields.isSubscribed isPublic=additionalFields.isPublic',
      'issue.delete': 'DELETE /issues/{issueId}/ -> { success: true }',
      'organization.get': 'GET /organizations/{organizationSlug}/',
      'organization.getAll':
        'GET /organizations/ owner=additionalFields.owner ~additionalFields.member :first=100 :paged',
      'project.get': 'GET /projects/{organizationSlug}/{projectSlug}/',
      'project.getAll': 'GET /projects/ :first=100 :paged',
      'project.create': 'POST /teams/{organizationSlug}/{teamSlug}/projects/ name slug=additionalFields.slug',
      'project.delete': 'DELETE /projects/{organizationSlug}/{projectSlug}/ -> { success: true }',
      'release.get': 'GET /organizations/{organizationSlug}/releases/{version}/',
      'release.getAll':
        'GET /organizations/{organizationSlug}/releases/ query=additionalFields.query per_page=@100<=100',
      'release.create':
        'POST /organizations/{organizationSlug}/releases/ version url projects dateReleased=additionalFields.dateReleased',
      'release.delete': 'DELETE /organizations/{organizationSlug}/releases/{version}/ -> { success: true }',
      'team.get': 'GET /teams/{organizationSlug}/{teamSlug}/',
      'team.getAll': 'GET /organizations/{organizationSlug}/teams/ per_page=@100<=100',
      'team.create': 'POST /organizations/{organizationSlug}/teams/ name slug=additionalFields.slug',
      'team.delete': 'DELETE /teams/{organizationSlug}/{teamSlug}/ -> { success: true }',
    },
  },
  circleCi: {
    credential: 'circleCiApi',
    first: ['pipeline', 'get'],
    address: 'https://circleci.com/api/v2',
    difference: 'The connection sends the token in the header `Circle-Token`. ',
    operations: {
      'pipeline.get': 'GET /project/{vcs}/{projectSlug|path}/pipeline/{pipelineNumber??1}',
      'pipeline.getAll':
        'GET /project/{vcs}/{projectSlug|path}/pipeline branch=filters.branch :first=100 :paged -> one?.items ?? []',
      'pipeline.trigger':
        'POST /project/{vcs}/{projectSlug|path}/pipeline :json branch=additionalFields.branch tag=additionalFields.tag',
    },
  },
  netlify: {
    credential: 'netlifyApi',
    first: ['deploy', 'getAll'],
    firsts: { site: 'delete' },
    address: 'https://api.netlify.com/api/v1',
    operations: {
      'deploy.get': 'GET /sites/{siteId}/deploys/{deployId}',
      'deploy.getAll': 'GET /sites/{siteId}/deploys per_page=@50<=100',
      'deploy.create':
        'POST /sites/{siteId}/deploys :json ?title=additionalFields.title branch=additionalFields.branch',
      'deploy.cancel': 'POST /deploys/{deployId}/cancel :json',
      'site.get': 'GET /sites/{siteId}',
      'site.getAll': 'GET /sites filter="all" per_page=@50<=100',
      'site.delete': 'DELETE /sites/{siteId} -> { success: true }',
    },
  },
  jenkins: {
    credential: 'jenkinsApi',
    first: ['job', 'trigger'],
    firsts: { instance: 'safeRestart' },
    operations: {
      'job.trigger': 'POST /job/{job}/build :json -> { success: true }',
      'job.copy': 'POST /createItem ?name=newJob ?mode="copy" ?from=job -> { success: true }',
      'instance.quietDown': 'POST /quietDown ?reason -> { success: true }',
      'instance.cancelQuietDown': 'POST /cancelQuietDown :json -> { success: true }',
      'instance.restart': 'POST /restart :json -> { success: true }',
      'instance.safeRestart': 'POST /safeRestart :json -> { success: true }',
    },
  },
  npm: {
    credential: 'npmApi',
    first: ['package', 'getMetadata'],
    firsts: { distTag: 'getMany' },
    open: true,
    address: 'https://registry.npmjs.org',
    operations: {
      'package.getMetadata': 'GET /{packageName}/{packageVersion??latest}',
      'package.search':
        'GET /-/v1/search text=query size=limit??10 from=offset popularity=!0.99 -> (one?.objects ?? []).map(found => ({ name: found.package.name, version: found.package.version, description: found.package?.description }))',
      'distTag.getMany': 'GET /-/package/{packageName}/dist-tags',
    },
  },
  grafana: {
    credential: 'grafanaApi',
    first: ['dashboard', 'create'],
    firsts: { team: 'create', teamMember: 'add', user: 'getAll' },
    address: '/api',
    operations: {
      'dashboard.getAll': 'GET /search type="dash-db" query=filters.query limit=@50<=5000',
      'dashboard.create':
        'POST /dashboards/db dashboard.title=title dashboard.id=!null folderUid=additionalFields.folderId',
      'team.create': 'POST /teams name email=additionalFields.email',
      'team.get': 'GET /teams/{teamId}',
      'team.getAll': 'GET /teams/search name=filters.name :first=50 -> one?.teams ?? []',
      'team.delete': 'DELETE /teams/{teamId}',
      'teamMember.add': 'POST /teams/{teamId}/members userId=userId|number',
      'teamMember.getAll': 'GET /teams/{teamId}/members :first=50',
      'teamMember.remove': 'DELETE /teams/{teamId}/members/{memberId}',
      'user.getAll': 'GET /org/users :first=50',
      'user.update': 'PATCH /org/users/{userId} role=updateFields.role',
      'user.delete': 'DELETE /org/users/{userId}',
    },
  },
  metabase: {
    credential: 'metabaseApi',
    first: ['questions', 'getAll'],
    firsts: { alerts: 'getAll', databases: 'getAll', metrics: 'getAll' },
    difference: 'The connection sends the session in the header `X-Metabase-Session`. ',
    operations: {
      'questions.get': 'GET /api/card/{questionId}',
      'questions.getAll': 'GET /api/card/',
      'alerts.get': 'GET /api/alert/{alertId}',
      'alerts.getAll': 'GET /api/alert/',
      'databases.getAll': 'GET /api/database/ -> one?.data ?? []',
      'databases.getFields': 'GET /api/database/{databaseId}/fields',
      'metrics.get': 'GET /api/metric/{metricId}',
      'metrics.getAll': 'GET /api/metric/',
    },
  },
  contentful: {
    credential: 'contentfulApi',
    first: ['entry', 'get'],
    firsts: { space: 'get', contentType: 'get', asset: 'getAll', locale: 'getAll' },
    difference: 'The address of the connection is `https://cdn.contentful.com/spaces/SPACE`. ',
    operations: {
      'contentType.get':
        'GET /environments/{environmentId??master}/content_types/{contentTypeId} ~source -> one?.fields',
      'entry.get': 'GET /environments/{environmentId??master}/entries/{entryId} ~source -> one?.fields',
      'entry.getAll':
        'GET /environments/{environmentId??master}/entries ~source content_type=additionalFields.content_type query=additionalFields.query order=additionalFields.order select=additionalFields.select limit=@100<=1000 -> (one?.items ?? []).map(found => found.fields)',
      'asset.get': 'GET /environments/{environmentId??master}/assets/{assetId} ~source -> one?.fields',
      'asset.getAll':
        'GET /environments/{environmentId??master}/assets ~source query=additionalFields.query order=additionalFields.order select=additionalFields.select limit=@100<=1000 -> (one?.items ?? []).map(found => found.fields)',
      'locale.getAll':
        'GET /environments/{environmentId??master}/locales ~source :first=100 -> one?.items ?? []',
    },
  },
  discourse: {
    credential: 'discourseApi',
    first: ['post', 'create'],
    firsts: { category: 'create', group: 'create', user: 'create', userGroup: 'add' },
    difference: 'The connection sends the key in the header `Api-Key`, and has the header `Api-Username`. ',
    operations: {
      'post.create':
        'POST /posts.json title raw=content category=additionalFields.category topic_id=additionalFields.topic_id reply_to_post_number=additionalFields.reply_to_post_number',
      'post.get': 'GET /posts/{postId}.json',
      'post.getAll': 'GET /posts.json :first=50 -> one?.latest_posts ?? []',
      'post.update':
        'PUT /posts/{postId}.json post.raw=content post.edit_reason=updateFields.edit_reason -> one?.post',
      'category.create':
        'POST /categories.json name color=color??"0000FF" text_color=textColor??"0000FF" -> one?.category',
      'category.getAll': 'GET /categories.json :first=50 -> one?.category_list?.categories ?? []',
      'category.update':
        'PUT /categories/{categoryId}.json name color=updateFields.color text_color=updateFields.textColor -> one?.category',
      'group.create': 'POST /admin/groups.json group.name=name -> one?.basic_group',
      'group.get': 'GET /groups/{name}.json -> one?.group',
      'group.getAll': 'GET /groups.json :first=50 -> one?.groups ?? []',
      'group.update': 'PUT /groups/{groupId}.json group.name=name',
      'user.create':
        'POST /users.json name email username password active=additionalFields.active approved=additionalFields.approved',
      'user.getAll':
        'GET /admin/users/list/{flag}.json order=options.order asc=options.asc show_emails=options.showEmails stats=options.stats :first=50',
      'userGroup.add': 'PUT /groups/{groupId}/members.json usernames',
      'userGroup.remove': 'DELETE /groups/{groupId}/members.json :body usernames',
    },
  },
  beeminder: {
    credential: 'beeminderApi',
    first: ['datapoint', 'create'],
    firsts: { charge: 'create', goal: 'get', user: 'get' },
    address: 'https://www.beeminder.com/api/v1',
    secret: 'auth_token',
    difference: 'The secret of the connection stands as `auth_token` in the query. ',
    operations: {
      'datapoint.create':
        'POST /users/me/goals/{goalName}/datapoints.json value=value??1 comment=additionalFields.comment timestamp=additionalFields.timestamp|seconds requestid=additionalFields.requestid',
      'datapoint.getAll':
        'GET /users/me/goals/{goalName}/datapoints.json sort=options.sort page=options.page per=options.per count=@30<=300',
      'datapoint.update':
        'PUT /users/me/goals/{goalName}/datapoints/{datapointId}.json value=updateFields.value comment=updateFields.comment timestamp=updateFields.timestamp|seconds',
      'datapoint.delete': 'DELETE /users/me/goals/{goalName}/datapoints/{datapointId}.json',
      'goal.get': 'GET /users/me/goals/{goalName}.json datapoints=additionalFields.datapoints',
      'goal.getAll': 'GET /users/me/goals.json',
      'goal.getArchived': 'GET /users/me/goals/archived.json',
      'user.get':
        'GET /users/me.json associations=additionalFields.associations skinny=additionalFields.skinny',
    },
  },
  pushbullet: {
    credential: 'pushbulletOAuth2Api',
    first: ['push', 'create'],
    address: 'https://api.pushbullet.com/v2',
    operations: {
      'push.getAll':
        'GET /pushes active=filters.active modified_after=filters.modified_after|seconds limit=@100<=500 -> one?.pushes ?? []',
      'push.update': 'POST /pushes/{pushId} dismissed=dismissed??false',
      'push.delete': 'DELETE /pushes/{pushId} -> { success: true }',
    },
  },
  pushcut: {
    credential: 'pushcutApi',
    first: ['notification', 'send'],
    address: 'https://api.pushcut.io/v1',
    difference: 'The connection sends the key in the header `API-Key`. ',
    operations: {
      'notification.send':
        'POST /notifications/{notificationName} :json title=additionalFields.title text=additionalFields.text input=additionalFields.input devices=additionalFields.devices',
    },
  },
  messageBird: {
    credential: 'messageBirdApi',
    first: ['sms', 'send'],
    firsts: { balance: 'get' },
    address: 'https://rest.messagebird.com',
    difference: 'The connection sends the header `Authorization` with the word `AccessKey` before the key. ',
    operations: {
      'sms.send':
        'POST /messages originator body=message recipients=recipients|list type=additionalFields.type reference=additionalFields.reference reportUrl=additionalFields.reportUrl validity=additionalFields.validity gateway=additionalFields.gateway datacoding=additionalFields.datacoding mclass=additionalFields.mclass scheduledDatetime=additionalFields.scheduledDatetime',
      'balance.get': 'GET /balance',
    },
  },
  uplead: {
    credential: 'upleadApi',
    first: ['company', 'enrich'],
    firsts: { person: 'enrich' },
    address: 'https://api.uplead.com/v2',
    operations: {
      'company.enrich': 'GET /company-search domain company -> one?.data',
      'person.enrich': 'GET /person-search email first_name=firstname last_name=lastname domain -> one?.data',
    },
  },
  peekalink: {
    credential: 'peekalinkApi',
    first: ['', 'preview'],
    address: 'https://api.peekalink.io',
    operations: { '.preview': 'POST / link=url' },
  },
  openThesaurus: {
    credential: 'openThesaurusApi',
    first: ['', 'getSynonyms'],
    open: true,
    address: 'https://www.openthesaurus.de',
    operations: {
      '.getSynonyms':
        'GET /synonyme/search format="application/json" q=text baseform=options.baseform similar=options.similar startswith=options.startswith substring=options.substring substringFromResults=options.substringFromResults substringMaxResults=options.substringMaxResults subsynsets=options.subsynsets supersynsets=options.supersynsets -> one?.synsets ?? []',
    },
  },
  yourls: {
    credential: 'yourlsApi',
    first: ['url', 'shorten'],
    secret: 'signature',
    difference: 'The secret of the connection stands as `signature` in the query. ',
    operations: {
      'url.shorten':
        'GET /yourls-api.php action="shorturl" format="json" url keyword=additionalFields.keyword title=additionalFields.title',
      'url.expand': 'GET /yourls-api.php action="expand" format="json" shorturl=shortUrl',
      'url.stats': 'GET /yourls-api.php action="url-stats" format="json" shorturl=shortUrl -> one?.link',
    },
  },
  theHiveProject: {
    credential: 'theHiveProjectApi',
    first: ['alert', 'create'],
    firsts: { case: 'create', comment: 'add', observable: 'create', task: 'create', log: 'create' },
    address: '/api/v1',
    operations: {
      'alert.get': 'GET /alert/{alertId}',
      'alert.deleteAlert': 'DELETE /alert/{alertId} -> { success: true }',
      'alert.status': 'PATCH /alert/{alertId} status -> { success: true }',
      'case.get': 'GET /case/{caseId}',
      'case.deleteCase': 'DELETE /case/{caseId} -> { success: true }',
      'task.get': 'GET /task/{taskId}',
      'task.deleteTask': 'DELETE /task/{taskId} -> { success: true }',
      'observable.get': 'GET /observable/{observableId}',
      'observable.deleteObservable': 'DELETE /observable/{observableId} -> { success: true }',
      'comment.add': 'POST /{addTo??alert}/{id}/comment message',
      'comment.update': 'PATCH /comment/{commentId} message',
      'comment.deleteComment': 'DELETE /comment/{commentId} -> { success: true }',
      'log.deleteLog': 'DELETE /log/{logId} -> { success: true }',
    },
  },
  theHive: {
    credential: 'theHiveApi',
    first: ['alert', 'create'],
    firsts: { log: 'getAll' },
    address: '/api/v1',
    difference: 'It uses version 1 of the interface, which TheHive has since version 4. ',
    operations: {
      'alert.create':
        'POST /alert title description severity=severity??2 date=date|ms tags=tags|list tlp=tlp??2 type source sourceRef caseTemplate=additionalFields.caseTemplate',
      'alert.get': 'GET /alert/{id}',
      'alert.promote': 'POST /alert/{id}/case :json caseTemplate=additionalFields.caseTemplate',
      'case.create':
        'POST /case title description severity=severity??2 startDate=startDate|ms assignee=owner flag tlp=tlp??2 tags=tags|list summary=options.summary endDate=options.endDate|ms',
      'case.get': 'GET /case/{id}',
      'task.create':
        'POST /case/{caseId}/task title status=status??"Waiting" flag description=options.description assignee=options.owner startDate=options.startDate|ms endDate=options.endDate|ms',
      'task.get': 'GET /task/{id}',
      'observable.get': 'GET /observable/{id}',
      'log.create': 'POST /task/{taskId}/log message startDate=startDate|ms ~status',
    },
  },
  twist: {
    credential: 'twistOAuth2Api',
    first: ['messageConversation', 'create'],
    firsts: { channel: 'create', comment: 'create', thread: 'create' },
    address: 'https://api.twist.com/api/v3',
    operations: {
      'messageConversation.create':
        'POST /conversation_messages/add conversation_id=conversationId content ~workspaceId',
      'messageConversation.get': 'GET /conversation_messages/getone id',
      'messageConversation.delete': 'POST /conversation_messages/remove :json ?id',
      'channel.create':
        'POST /channels/add workspace_id=workspaceId name color=additionalFields.color description=additionalFields.description public=additionalFields.public user_ids=additionalFields.user_ids',
      'channel.get': 'GET /channels/getone id=channelId',
      'channel.getAll': 'GET /channels/get workspace_id=workspaceId archived=filters.archived :first=50',
      'channel.archive': 'POST /channels/archive :json ?id=channelId',
      'channel.unarchive': 'POST /channels/unarchive :json ?id=channelId',
      'channel.delete': 'POST /channels/remove :json ?id=channelId',
      'thread.create':
        'POST /threads/add channel_id=channelId title content recipients=additionalFields.recipients',
      'thread.get': 'GET /threads/getone id=threadId',
      'thread.delete': 'POST /threads/remove :json ?id=threadId',
      'comment.create':
        'POST /comments/add thread_id=threadId content recipients=additionalFields.recipients',
      'comment.get': 'GET /comments/getone id=commentId -> one?.comment',
      'comment.delete': 'POST /comments/remove :json ?id=commentId',
    },
  },
  drift: {
    credential: 'driftApi',
    first: ['contact', 'create'],
    address: 'https://driftapi.com',
    operations: {
      'contact.create':
        'POST /contacts attributes.email=email attributes.name=additionalFields.name attributes.phone=additionalFields.phone -> one?.data',
      'contact.get': 'GET /contacts/{contactId} -> one?.data',
      'contact.getCustomAttributes': 'GET /contacts/attributes -> one?.data?.properties ?? []',
      'contact.update':
        'PATCH /contacts/{contactId} attributes.email=updateFields.email attributes.name=updateFields.name attributes.phone=updateFields.phone -> one?.data',
      'contact.delete': 'DELETE /contacts/{contactId} -> { success: true }',
    },
  },
  rundeck: {
    credential: 'rundeckApi',
    first: ['job', 'execute'],
    difference: 'The connection sends the token in the header `X-Rundeck-Auth-Token`. ',
    operations: { 'job.getMetadata': 'GET /api/18/job/{jobid}/info' },
  },
};
