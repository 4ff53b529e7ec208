// Generated from the API's description by `npm run client`. Do not edit.
export interface paths {
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Addresses of the collections */
        get: operations["getRoot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who tried to change what, newest first; for administrators */
        get: operations["listAuditEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/b/{user}/{number}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A build */
        get: operations["getBuild"];
        put?: never;
        post?: never;
        /** Kills a build */
        delete: operations["killBuild"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/b/{user}/{number}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Lets a build of a fork that waits for approval run */
        patch: operations["approveBuild"];
        trace?: never;
    };
    "/b/{user}/{number}/artifacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Artifacts of a build, by name */
        get: operations["listArtifacts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/b/{user}/{number}/artifacts/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** An artifact of a build, or its content if exactly application/octet-stream is accepted */
        get: operations["getArtifact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/b/{user}/{number}/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Jobs of a build, in order of execution */
        get: operations["listJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/b/{user}/{number}/jobs/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A job of a build */
        get: operations["getJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/b/{user}/{number}/jobs/{name}/output": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The output of a job, as text or, while it grows, as server-sent events */
        get: operations["getJobOutput"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/b/{user}/{number}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Keys as they were copied into a build, by name */
        get: operations["listBuildKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/b/{user}/{number}/objects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Objects that a build's manifest lists, in its order */
        get: operations["listBuildObjects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/b/{user}/{number}/output": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The output of a build, as text or, while it grows, as server-sent events */
        get: operations["getBuildOutput"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/b/{user}/{number}/pin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Keeps a build's artifacts from curation */
        patch: operations["pinBuild"];
        trace?: never;
    };
    "/b/{user}/{number}/restart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Submits a finished build again */
        post: operations["restartBuild"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/b/{user}/{number}/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tags of a build, in the order they were added */
        get: operations["listTags"];
        put?: never;
        /** Adds tags to a build; returns the new ones */
        post: operations["tagBuild"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/b/{user}/{number}/tags/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A tag of a build */
        get: operations["getTag"];
        put?: never;
        post?: never;
        /** Removes a tag from a build */
        delete: operations["untagBuild"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/b/{user}/{number}/tests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Test cases from the reports of a build's jobs, in the order of the jobs */
        get: operations["listTests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/b/{user}/{number}/unpin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Leaves a build's artifacts to curation */
        patch: operations["unpinBuild"];
        trace?: never;
    };
    "/b/{user}/{number}/variables": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Variables as they were copied into a build, by key */
        get: operations["listBuildVariables"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/builds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Builds of the caller and of the namespaces where the caller is a member, newest first */
        get: operations["listBuilds"];
        put?: never;
        /** Submits a build */
        post: operations["submitBuild"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/caches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What is kept between builds of the caller and of the trees where the caller is a member, newest first */
        get: operations["listCaches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/caches/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Deletes a cache entry; a later build stores it again */
        delete: operations["deleteCache"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cron": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Cron jobs of the caller and of the namespaces where the caller is a member, by name */
        get: operations["listCrons"];
        put?: never;
        /** Creates a cron job, in the namespace that its manifest names */
        post: operations["createCron"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cron/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A cron job */
        get: operations["getCron"];
        put?: never;
        post?: never;
        /** Deletes a cron job; its builds stay */
        delete: operations["deleteCron"];
        options?: never;
        head?: never;
        /** Changes the name, schedule, time zone or manifest of a cron job; empty fields change nothing */
        patch: operations["updateCron"];
        trace?: never;
    };
    "/cron/{id}/builds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Builds that a cron job has submitted, newest first */
        get: operations["listCronBuilds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cron/{id}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Submits the build of a cron job now, whatever its schedule */
        post: operations["runCron"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The events of the caller's builds outside of namespaces, and of every namespace that the caller is a member of, as server-sent events */
        get: operations["watchOwnEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether every backing service answers */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hooks/{provider}/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Receives a provider's event about a repository, signed with the secret of its hook */
        post: operations["receiveHook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/images": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Images of the caller and of the namespaces where the caller is a member, by name */
        get: operations["listImages"];
        put?: never;
        /** Uploads an image, or has it downloaded from `download_url` */
        post: operations["createImage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/images/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** An image, or its content if exactly application/x-qemu-disk is accepted */
        get: operations["getImage"];
        put?: never;
        post?: never;
        /** Deletes an image and its content */
        delete: operations["deleteImage"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Open invites to the caller */
        get: operations["listInvites"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invites/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Rejects or withdraws an invite */
        delete: operations["deleteInvite"];
        options?: never;
        head?: never;
        /** Accepts an invite */
        patch: operations["acceptInvite"];
        trace?: never;
    };
    "/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Keys of the caller and of the namespaces where the caller is a member, by name */
        get: operations["listKeys"];
        put?: never;
        /** Creates an SSH key */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** An SSH key, without its private half */
        get: operations["getKey"];
        put?: never;
        post?: never;
        /** Deletes an SSH key */
        delete: operations["deleteKey"];
        options?: never;
        head?: never;
        /** Changes the configuration of an SSH key */
        patch: operations["updateKey"];
        trace?: never;
    };
    "/manifest.schema.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The JSON Schema of a manifest, for editors */
        get: operations["getManifestSchema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manifests/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Checks a request for a build: returns its mistakes and jobs, and creates nothing */
        post: operations["checkManifest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/n/{username}/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A namespace */
        get: operations["getNamespace"];
        put?: never;
        post?: never;
        /** Deletes a namespace and everything below it */
        delete: operations["deleteNamespace"];
        options?: never;
        head?: never;
        /** Changes a namespace */
        patch: operations["updateNamespace"];
        trace?: never;
    };
    "/n/{username}/{path}/-/badge.svg": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The status of a public namespace's newest build, as an image for other pages */
        get: operations["getBadge"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/n/{username}/{path}/-/builds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Builds of a namespace, newest first */
        get: operations["listNamespaceBuilds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/n/{username}/{path}/-/collaborators": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Collaborators of a namespace's tree */
        get: operations["listCollaborators"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/n/{username}/{path}/-/collaborators/{user}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Removes a collaborator from a namespace's tree, by username or e-mail address */
        delete: operations["removeCollaborator"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/n/{username}/{path}/-/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The events of a namespace as they happen, as server-sent events */
        get: operations["watchEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/n/{username}/{path}/-/images": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Images of a namespace, newest first */
        get: operations["listNamespaceImages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/n/{username}/{path}/-/invites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Open invites to a namespace's tree */
        get: operations["listNamespaceInvites"];
        put?: never;
        /** Invites a user to a namespace's tree */
        post: operations["sendInvite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/n/{username}/{path}/-/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Keys of a namespace, by name */
        get: operations["listNamespaceKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/n/{username}/{path}/-/membership": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Ends your own collaboration on a namespace's tree */
        delete: operations["leaveNamespace"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/n/{username}/{path}/-/namespaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Direct children of a namespace, by path */
        get: operations["listChildNamespaces"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/n/{username}/{path}/-/objects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Objects of a namespace, by name */
        get: operations["listNamespaceObjects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/n/{username}/{path}/-/repositories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Repositories of a namespace, without their secrets */
        get: operations["listRepositories"];
        put?: never;
        /** Adds a repository whose pushes and pull requests submit builds */
        post: operations["createRepository"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/n/{username}/{path}/-/repositories/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A repository, without its secrets */
        get: operations["getRepository"];
        put?: never;
        post?: never;
        /** Deletes a repository: its hook stops working */
        delete: operations["deleteRepository"];
        options?: never;
        head?: never;
        /** Changes a repository's secret, access token or settings */
        patch: operations["updateRepository"];
        trace?: never;
    };
    "/n/{username}/{path}/-/repositories/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Deliveries to a repository's hook with the builds that they triggered, newest first */
        get: operations["listHookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/n/{username}/{path}/-/repositories/{id}/deliveries/{delivery}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A delivery with the builds that it triggered, or why it triggered none */
        get: operations["getHookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/n/{username}/{path}/-/repositories/{id}/deliveries/{delivery}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Processes a delivery again, as a new one: builds its commit again */
        post: operations["redeliverHook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/n/{username}/{path}/-/repositories/{id}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Builds the newest commit of a branch or tag now, as after a push, for the repository's user */
        post: operations["runRepository"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/n/{username}/{path}/-/variables": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Variables of a namespace, by key */
        get: operations["listNamespaceVariables"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/n/{username}/{path}/-/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Webhooks of a namespace */
        get: operations["listWebhooks"];
        put?: never;
        /** Creates a webhook */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/n/{username}/{path}/-/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A webhook, without its secret */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /** Deletes a webhook and its deliveries */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /** Changes a webhook */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/n/{username}/{path}/-/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Deliveries of a webhook, newest first */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/n/{username}/{path}/-/webhooks/{id}/deliveries/{delivery}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A delivery with its request, last response and attempts */
        get: operations["getDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/n/{username}/{path}/-/webhooks/{id}/deliveries/{delivery}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sends a delivery again */
        post: operations["redeliverDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/n/{username}/{path}/-/webhooks/{id}/headers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Headers that every request to a webhook carries, without their values */
        get: operations["getWebhookHeaders"];
        /** Replaces the headers that every request to a webhook carries */
        put: operations["setWebhookHeaders"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/n/{username}/{path}/-/webhooks/{id}/rate-limit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How many requests per second a webhook receives at most */
        get: operations["getWebhookRateLimit"];
        /** Limits how many requests per second a webhook receives */
        put: operations["setWebhookRateLimit"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/n/{username}/{path}/-/webhooks/{id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sends every delivery again that failed or was cancelled since a time, except tests */
        post: operations["redeliverFailedDeliveries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/n/{username}/{path}/-/webhooks/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sends the events since a time that an active webhook wants and has no delivery of */
        post: operations["replayMissedEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/n/{username}/{path}/-/webhooks/{id}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Counts of the deliveries in a webhook's log */
        get: operations["countDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/n/{username}/{path}/-/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sends an example of an event, marked as a test, in one attempt */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/namespaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Namespaces where the caller is a member, by path */
        get: operations["listNamespaces"];
        put?: never;
        /** Creates a namespace */
        post: operations["createNamespace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/objects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Objects of the caller and of the namespaces where the caller is a member, by name */
        get: operations["listObjects"];
        put?: never;
        /** Uploads an object */
        post: operations["uploadObject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/objects/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** An object, or its content if exactly its type is accepted */
        get: operations["getObject"];
        put?: never;
        post?: never;
        /** Deletes an object and its content */
        delete: operations["deleteObject"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/objects/{id}/builds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Builds that used an object, newest first */
        get: operations["listObjectBuilds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This description */
        get: operations["getDescription"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/queue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Numbers of queued and running builds, and the queue's last hours; for administrators */
        get: operations["getQueue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runners": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Runners and their busy slots, by id; for administrators */
        get: operations["listRunners"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Signs in to the web page: opens a session, whose secret is in a cookie */
        post: operations["openSession"];
        /** Signs out: ends the session of this request, if it has one */
        delete: operations["closeSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The caller's tokens */
        get: operations["listTokens"];
        put?: never;
        /** Creates a token for the caller; its secret is returned only now */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Deletes a token: it stops working */
        delete: operations["deleteToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The user of the token */
        get: operations["getCurrentUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/identities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The caller's OpenID Connect identities */
        get: operations["listIdentities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/identities/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Disconnects an identity: the caller can no longer sign in with it, and its sessions end */
        delete: operations["deleteIdentity"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The caller's sessions of the web page, newest first */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Ends a session: its browser is signed out */
        delete: operations["deleteSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/sign-in-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Creates a link that signs in one browser within ten minutes; its secret is returned only now */
        post: operations["createSignInLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All users, by username */
        get: operations["listUsers"];
        put?: never;
        /** Creates a user */
        post: operations["createUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/-/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tokens of all users, newest first; for administrators */
        get: operations["listAllTokens"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{username}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Deletes a user for good */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{username}/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Creates a token for another user; its secret is returned only now */
        post: operations["createUserToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/variables": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Variables of the caller and of the namespaces where the caller is a member, by key */
        get: operations["listVariables"];
        put?: never;
        /** Creates a variable */
        post: operations["createVariable"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/variables/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A variable */
        get: operations["getVariable"];
        put?: never;
        post?: never;
        /** Deletes a variable */
        delete: operations["deleteVariable"];
        options?: never;
        head?: never;
        /** Changes the value of a variable or whether it is masked; unmasking requires a new value */
        patch: operations["updateVariable"];
        trace?: never;
    };
    "/version": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The version of the service */
        get: operations["getVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "build.finished": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A webhook sends build.finished */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description UUID of the delivery, the same for every attempt; absent without a secret */
                    "webhook-id"?: string;
                    /** @description One or more signatures, separated by spaces; absent without a secret */
                    "webhook-signature"?: string;
                    /** @description When the attempt was made, in Unix seconds; absent without a secret */
                    "webhook-timestamp"?: string;
                    /** @description UUID of the delivery, the same for every attempt */
                    "X-Service-CI-Delivery": string;
                    /** @description The event */
                    "X-Service-CI-Event": string;
                    /** @description Id of the webhook */
                    "X-Service-CI-Hook-ID": string;
                    /** @description `sha256=` and the HMAC of the body in hexadecimal digits; absent without a secret */
                    "X-Service-CI-Signature"?: string;
                    /** @description `true` if a user requested the event as a test; absent otherwise */
                    "X-Service-CI-Test"?: string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "id": 42,
                     *       "user_id": 1,
                     *       "namespace_id": 1,
                     *       "number": 42,
                     *       "status": "passed",
                     *       "output": "hello\n",
                     *       "tags": [],
                     *       "pinned": false,
                     *       "created_at": "2026-01-01T11:59:00.000Z",
                     *       "started_at": "2026-01-01T11:59:10.000Z",
                     *       "finished_at": "2026-01-01T12:00:00.000Z",
                     *       "reason": null,
                     *       "url": "https://ci.example.com/b/ann/42",
                     *       "objects_url": "https://ci.example.com/b/ann/42/objects",
                     *       "variables_url": "https://ci.example.com/b/ann/42/variables",
                     *       "keys_url": "https://ci.example.com/b/ann/42/keys",
                     *       "jobs_url": "https://ci.example.com/b/ann/42/jobs",
                     *       "artifacts_url": "https://ci.example.com/b/ann/42/artifacts",
                     *       "tags_url": "https://ci.example.com/b/ann/42/tags",
                     *       "output_url": "https://ci.example.com/b/ann/42/output",
                     *       "content_url": "https://ci.example.com/b/ann/42/output?download",
                     *       "user": {
                     *         "id": 1,
                     *         "email": "ann@example.com",
                     *         "username": "ann",
                     *         "created_at": "2026-01-01T12:00:00.000Z"
                     *       },
                     *       "namespace": {
                     *         "id": 1,
                     *         "user_id": 1,
                     *         "root_id": 1,
                     *         "parent_id": null,
                     *         "name": "team",
                     *         "path": "team",
                     *         "description": "",
                     *         "visibility": "private",
                     *         "created_at": "2026-01-01T12:00:00.000Z",
                     *         "url": "https://ci.example.com/n/ann/team",
                     *         "builds_url": "https://ci.example.com/n/ann/team/-/builds",
                     *         "namespaces_url": "https://ci.example.com/n/ann/team/-/namespaces",
                     *         "images_url": "https://ci.example.com/n/ann/team/-/images",
                     *         "objects_url": "https://ci.example.com/n/ann/team/-/objects",
                     *         "variables_url": "https://ci.example.com/n/ann/team/-/variables",
                     *         "keys_url": "https://ci.example.com/n/ann/team/-/keys",
                     *         "invites_url": "https://ci.example.com/n/ann/team/-/invites",
                     *         "collaborators_url": "https://ci.example.com/n/ann/team/-/collaborators",
                     *         "webhooks_url": "https://ci.example.com/n/ann/team/-/webhooks",
                     *         "user": {
                     *           "id": 1,
                     *           "email": "ann@example.com",
                     *           "username": "ann",
                     *           "created_at": "2026-01-01T12:00:00.000Z"
                     *         }
                     *       },
                     *       "trigger": {
                     *         "type": "manual",
                     *         "comment": "An example",
                     *         "data": {}
                     *       },
                     *       "queue": null,
                     *       "group": null,
                     *       "manifest": "driver:\n  type: docker\n  image: busybox:1.37\n  workspace: /work\nstages: [test]\njobs:\n  - stage: test\n    commands: [echo hello]\n",
                     *       "tests": null
                     *     }
                     */
                    "application/json": components["schemas"]["Build"];
                };
            };
            responses: {
                /** @description The receiver accepts the delivery */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The receiver wants no more deliveries: the webhook is deactivated */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed, and is retried */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "build.pinned": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A webhook sends build.pinned */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description UUID of the delivery, the same for every attempt; absent without a secret */
                    "webhook-id"?: string;
                    /** @description One or more signatures, separated by spaces; absent without a secret */
                    "webhook-signature"?: string;
                    /** @description When the attempt was made, in Unix seconds; absent without a secret */
                    "webhook-timestamp"?: string;
                    /** @description UUID of the delivery, the same for every attempt */
                    "X-Service-CI-Delivery": string;
                    /** @description The event */
                    "X-Service-CI-Event": string;
                    /** @description Id of the webhook */
                    "X-Service-CI-Hook-ID": string;
                    /** @description `sha256=` and the HMAC of the body in hexadecimal digits; absent without a secret */
                    "X-Service-CI-Signature"?: string;
                    /** @description `true` if a user requested the event as a test; absent otherwise */
                    "X-Service-CI-Test"?: string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "id": 42,
                     *       "user_id": 1,
                     *       "namespace_id": 1,
                     *       "number": 42,
                     *       "status": "passed",
                     *       "output": "hello\n",
                     *       "tags": [],
                     *       "pinned": true,
                     *       "created_at": "2026-01-01T11:59:00.000Z",
                     *       "started_at": "2026-01-01T11:59:10.000Z",
                     *       "finished_at": "2026-01-01T12:00:00.000Z",
                     *       "reason": null,
                     *       "url": "https://ci.example.com/b/ann/42",
                     *       "objects_url": "https://ci.example.com/b/ann/42/objects",
                     *       "variables_url": "https://ci.example.com/b/ann/42/variables",
                     *       "keys_url": "https://ci.example.com/b/ann/42/keys",
                     *       "jobs_url": "https://ci.example.com/b/ann/42/jobs",
                     *       "artifacts_url": "https://ci.example.com/b/ann/42/artifacts",
                     *       "tags_url": "https://ci.example.com/b/ann/42/tags",
                     *       "output_url": "https://ci.example.com/b/ann/42/output",
                     *       "content_url": "https://ci.example.com/b/ann/42/output?download",
                     *       "user": {
                     *         "id": 1,
                     *         "email": "ann@example.com",
                     *         "username": "ann",
                     *         "created_at": "2026-01-01T12:00:00.000Z"
                     *       },
                     *       "namespace": {
                     *         "id": 1,
                     *         "user_id": 1,
                     *         "root_id": 1,
                     *         "parent_id": null,
                     *         "name": "team",
                     *         "path": "team",
                     *         "description": "",
                     *         "visibility": "private",
                     *         "created_at": "2026-01-01T12:00:00.000Z",
                     *         "url": "https://ci.example.com/n/ann/team",
                     *         "builds_url": "https://ci.example.com/n/ann/team/-/builds",
                     *         "namespaces_url": "https://ci.example.com/n/ann/team/-/namespaces",
                     *         "images_url": "https://ci.example.com/n/ann/team/-/images",
                     *         "objects_url": "https://ci.example.com/n/ann/team/-/objects",
                     *         "variables_url": "https://ci.example.com/n/ann/team/-/variables",
                     *         "keys_url": "https://ci.example.com/n/ann/team/-/keys",
                     *         "invites_url": "https://ci.example.com/n/ann/team/-/invites",
                     *         "collaborators_url": "https://ci.example.com/n/ann/team/-/collaborators",
                     *         "webhooks_url": "https://ci.example.com/n/ann/team/-/webhooks",
                     *         "user": {
                     *           "id": 1,
                     *           "email": "ann@example.com",
                     *           "username": "ann",
                     *           "created_at": "2026-01-01T12:00:00.000Z"
                     *         }
                     *       },
                     *       "trigger": {
                     *         "type": "manual",
                     *         "comment": "An example",
                     *         "data": {}
                     *       },
                     *       "queue": null,
                     *       "group": null,
                     *       "manifest": "driver:\n  type: docker\n  image: busybox:1.37\n  workspace: /work\nstages: [test]\njobs:\n  - stage: test\n    commands: [echo hello]\n",
                     *       "tests": null
                     *     }
                     */
                    "application/json": components["schemas"]["Build"];
                };
            };
            responses: {
                /** @description The receiver accepts the delivery */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The receiver wants no more deliveries: the webhook is deactivated */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed, and is retried */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "build.started": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A webhook sends build.started */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description UUID of the delivery, the same for every attempt; absent without a secret */
                    "webhook-id"?: string;
                    /** @description One or more signatures, separated by spaces; absent without a secret */
                    "webhook-signature"?: string;
                    /** @description When the attempt was made, in Unix seconds; absent without a secret */
                    "webhook-timestamp"?: string;
                    /** @description UUID of the delivery, the same for every attempt */
                    "X-Service-CI-Delivery": string;
                    /** @description The event */
                    "X-Service-CI-Event": string;
                    /** @description Id of the webhook */
                    "X-Service-CI-Hook-ID": string;
                    /** @description `sha256=` and the HMAC of the body in hexadecimal digits; absent without a secret */
                    "X-Service-CI-Signature"?: string;
                    /** @description `true` if a user requested the event as a test; absent otherwise */
                    "X-Service-CI-Test"?: string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "id": 42,
                     *       "user_id": 1,
                     *       "namespace_id": 1,
                     *       "number": 42,
                     *       "status": "running",
                     *       "output": null,
                     *       "tags": [],
                     *       "pinned": false,
                     *       "created_at": "2026-01-01T11:59:00.000Z",
                     *       "started_at": "2026-01-01T12:00:00.000Z",
                     *       "finished_at": null,
                     *       "reason": null,
                     *       "url": "https://ci.example.com/b/ann/42",
                     *       "objects_url": "https://ci.example.com/b/ann/42/objects",
                     *       "variables_url": "https://ci.example.com/b/ann/42/variables",
                     *       "keys_url": "https://ci.example.com/b/ann/42/keys",
                     *       "jobs_url": "https://ci.example.com/b/ann/42/jobs",
                     *       "artifacts_url": "https://ci.example.com/b/ann/42/artifacts",
                     *       "tags_url": "https://ci.example.com/b/ann/42/tags",
                     *       "output_url": "https://ci.example.com/b/ann/42/output",
                     *       "content_url": "https://ci.example.com/b/ann/42/output?download",
                     *       "user": {
                     *         "id": 1,
                     *         "email": "ann@example.com",
                     *         "username": "ann",
                     *         "created_at": "2026-01-01T12:00:00.000Z"
                     *       },
                     *       "namespace": {
                     *         "id": 1,
                     *         "user_id": 1,
                     *         "root_id": 1,
                     *         "parent_id": null,
                     *         "name": "team",
                     *         "path": "team",
                     *         "description": "",
                     *         "visibility": "private",
                     *         "created_at": "2026-01-01T12:00:00.000Z",
                     *         "url": "https://ci.example.com/n/ann/team",
                     *         "builds_url": "https://ci.example.com/n/ann/team/-/builds",
                     *         "namespaces_url": "https://ci.example.com/n/ann/team/-/namespaces",
                     *         "images_url": "https://ci.example.com/n/ann/team/-/images",
                     *         "objects_url": "https://ci.example.com/n/ann/team/-/objects",
                     *         "variables_url": "https://ci.example.com/n/ann/team/-/variables",
                     *         "keys_url": "https://ci.example.com/n/ann/team/-/keys",
                     *         "invites_url": "https://ci.example.com/n/ann/team/-/invites",
                     *         "collaborators_url": "https://ci.example.com/n/ann/team/-/collaborators",
                     *         "webhooks_url": "https://ci.example.com/n/ann/team/-/webhooks",
                     *         "user": {
                     *           "id": 1,
                     *           "email": "ann@example.com",
                     *           "username": "ann",
                     *           "created_at": "2026-01-01T12:00:00.000Z"
                     *         }
                     *       },
                     *       "trigger": {
                     *         "type": "manual",
                     *         "comment": "An example",
                     *         "data": {}
                     *       },
                     *       "queue": null,
                     *       "group": null,
                     *       "manifest": "driver:\n  type: docker\n  image: busybox:1.37\n  workspace: /work\nstages: [test]\njobs:\n  - stage: test\n    commands: [echo hello]\n",
                     *       "tests": null
                     *     }
                     */
                    "application/json": components["schemas"]["Build"];
                };
            };
            responses: {
                /** @description The receiver accepts the delivery */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The receiver wants no more deliveries: the webhook is deactivated */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed, and is retried */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "build.submitted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A webhook sends build.submitted */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description UUID of the delivery, the same for every attempt; absent without a secret */
                    "webhook-id"?: string;
                    /** @description One or more signatures, separated by spaces; absent without a secret */
                    "webhook-signature"?: string;
                    /** @description When the attempt was made, in Unix seconds; absent without a secret */
                    "webhook-timestamp"?: string;
                    /** @description UUID of the delivery, the same for every attempt */
                    "X-Service-CI-Delivery": string;
                    /** @description The event */
                    "X-Service-CI-Event": string;
                    /** @description Id of the webhook */
                    "X-Service-CI-Hook-ID": string;
                    /** @description `sha256=` and the HMAC of the body in hexadecimal digits; absent without a secret */
                    "X-Service-CI-Signature"?: string;
                    /** @description `true` if a user requested the event as a test; absent otherwise */
                    "X-Service-CI-Test"?: string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "id": 42,
                     *       "user_id": 1,
                     *       "namespace_id": 1,
                     *       "number": 42,
                     *       "status": "queued",
                     *       "output": null,
                     *       "tags": [],
                     *       "pinned": false,
                     *       "created_at": "2026-01-01T11:59:00.000Z",
                     *       "started_at": null,
                     *       "finished_at": null,
                     *       "reason": null,
                     *       "url": "https://ci.example.com/b/ann/42",
                     *       "objects_url": "https://ci.example.com/b/ann/42/objects",
                     *       "variables_url": "https://ci.example.com/b/ann/42/variables",
                     *       "keys_url": "https://ci.example.com/b/ann/42/keys",
                     *       "jobs_url": "https://ci.example.com/b/ann/42/jobs",
                     *       "artifacts_url": "https://ci.example.com/b/ann/42/artifacts",
                     *       "tags_url": "https://ci.example.com/b/ann/42/tags",
                     *       "output_url": "https://ci.example.com/b/ann/42/output",
                     *       "content_url": "https://ci.example.com/b/ann/42/output?download",
                     *       "user": {
                     *         "id": 1,
                     *         "email": "ann@example.com",
                     *         "username": "ann",
                     *         "created_at": "2026-01-01T12:00:00.000Z"
                     *       },
                     *       "namespace": {
                     *         "id": 1,
                     *         "user_id": 1,
                     *         "root_id": 1,
                     *         "parent_id": null,
                     *         "name": "team",
                     *         "path": "team",
                     *         "description": "",
                     *         "visibility": "private",
                     *         "created_at": "2026-01-01T12:00:00.000Z",
                     *         "url": "https://ci.example.com/n/ann/team",
                     *         "builds_url": "https://ci.example.com/n/ann/team/-/builds",
                     *         "namespaces_url": "https://ci.example.com/n/ann/team/-/namespaces",
                     *         "images_url": "https://ci.example.com/n/ann/team/-/images",
                     *         "objects_url": "https://ci.example.com/n/ann/team/-/objects",
                     *         "variables_url": "https://ci.example.com/n/ann/team/-/variables",
                     *         "keys_url": "https://ci.example.com/n/ann/team/-/keys",
                     *         "invites_url": "https://ci.example.com/n/ann/team/-/invites",
                     *         "collaborators_url": "https://ci.example.com/n/ann/team/-/collaborators",
                     *         "webhooks_url": "https://ci.example.com/n/ann/team/-/webhooks",
                     *         "user": {
                     *           "id": 1,
                     *           "email": "ann@example.com",
                     *           "username": "ann",
                     *           "created_at": "2026-01-01T12:00:00.000Z"
                     *         }
                     *       },
                     *       "trigger": {
                     *         "type": "manual",
                     *         "comment": "An example",
                     *         "data": {}
                     *       },
                     *       "queue": {
                     *         "position": 1,
                     *         "reason": "waiting for a runner"
                     *       },
                     *       "group": null,
                     *       "manifest": "driver:\n  type: docker\n  image: busybox:1.37\n  workspace: /work\nstages: [test]\njobs:\n  - stage: test\n    commands: [echo hello]\n",
                     *       "tests": null
                     *     }
                     */
                    "application/json": components["schemas"]["Build"];
                };
            };
            responses: {
                /** @description The receiver accepts the delivery */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The receiver wants no more deliveries: the webhook is deactivated */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed, and is retried */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "build.tagged": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A webhook sends build.tagged */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description UUID of the delivery, the same for every attempt; absent without a secret */
                    "webhook-id"?: string;
                    /** @description One or more signatures, separated by spaces; absent without a secret */
                    "webhook-signature"?: string;
                    /** @description When the attempt was made, in Unix seconds; absent without a secret */
                    "webhook-timestamp"?: string;
                    /** @description UUID of the delivery, the same for every attempt */
                    "X-Service-CI-Delivery": string;
                    /** @description The event */
                    "X-Service-CI-Event": string;
                    /** @description Id of the webhook */
                    "X-Service-CI-Hook-ID": string;
                    /** @description `sha256=` and the HMAC of the body in hexadecimal digits; absent without a secret */
                    "X-Service-CI-Signature"?: string;
                    /** @description `true` if a user requested the event as a test; absent otherwise */
                    "X-Service-CI-Test"?: string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "build": {
                     *         "id": 42,
                     *         "user_id": 1,
                     *         "namespace_id": 1,
                     *         "number": 42,
                     *         "status": "passed",
                     *         "output": null,
                     *         "tags": [
                     *           "v1.0"
                     *         ],
                     *         "pinned": false,
                     *         "created_at": "2026-01-01T11:59:00.000Z",
                     *         "started_at": "2026-01-01T11:59:10.000Z",
                     *         "finished_at": "2026-01-01T12:00:00.000Z",
                     *         "reason": null,
                     *         "url": "https://ci.example.com/b/ann/42",
                     *         "objects_url": "https://ci.example.com/b/ann/42/objects",
                     *         "variables_url": "https://ci.example.com/b/ann/42/variables",
                     *         "keys_url": "https://ci.example.com/b/ann/42/keys",
                     *         "jobs_url": "https://ci.example.com/b/ann/42/jobs",
                     *         "artifacts_url": "https://ci.example.com/b/ann/42/artifacts",
                     *         "tags_url": "https://ci.example.com/b/ann/42/tags",
                     *         "output_url": "https://ci.example.com/b/ann/42/output",
                     *         "content_url": "https://ci.example.com/b/ann/42/output?download",
                     *         "user": {
                     *           "id": 1,
                     *           "email": "ann@example.com",
                     *           "username": "ann",
                     *           "created_at": "2026-01-01T12:00:00.000Z"
                     *         },
                     *         "namespace": {
                     *           "id": 1,
                     *           "user_id": 1,
                     *           "root_id": 1,
                     *           "parent_id": null,
                     *           "name": "team",
                     *           "path": "team",
                     *           "description": "",
                     *           "visibility": "private",
                     *           "created_at": "2026-01-01T12:00:00.000Z",
                     *           "url": "https://ci.example.com/n/ann/team",
                     *           "builds_url": "https://ci.example.com/n/ann/team/-/builds",
                     *           "namespaces_url": "https://ci.example.com/n/ann/team/-/namespaces",
                     *           "images_url": "https://ci.example.com/n/ann/team/-/images",
                     *           "objects_url": "https://ci.example.com/n/ann/team/-/objects",
                     *           "variables_url": "https://ci.example.com/n/ann/team/-/variables",
                     *           "keys_url": "https://ci.example.com/n/ann/team/-/keys",
                     *           "invites_url": "https://ci.example.com/n/ann/team/-/invites",
                     *           "collaborators_url": "https://ci.example.com/n/ann/team/-/collaborators",
                     *           "webhooks_url": "https://ci.example.com/n/ann/team/-/webhooks",
                     *           "user": {
                     *             "id": 1,
                     *             "email": "ann@example.com",
                     *             "username": "ann",
                     *             "created_at": "2026-01-01T12:00:00.000Z"
                     *           }
                     *         },
                     *         "trigger": {
                     *           "type": "manual",
                     *           "comment": "An example",
                     *           "data": {}
                     *         },
                     *         "queue": null,
                     *         "group": null
                     *       },
                     *       "tags": [
                     *         {
                     *           "name": "v1.0",
                     *           "url": "https://ci.example.com/b/ann/42/tags/v1.0"
                     *         }
                     *       ],
                     *       "url": "https://ci.example.com/b/ann/42/tags",
                     *       "user": {
                     *         "id": 1,
                     *         "email": "ann@example.com",
                     *         "username": "ann",
                     *         "created_at": "2026-01-01T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["BuildTagged"];
                };
            };
            responses: {
                /** @description The receiver accepts the delivery */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The receiver wants no more deliveries: the webhook is deactivated */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed, and is retried */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "build.unpinned": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A webhook sends build.unpinned */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description UUID of the delivery, the same for every attempt; absent without a secret */
                    "webhook-id"?: string;
                    /** @description One or more signatures, separated by spaces; absent without a secret */
                    "webhook-signature"?: string;
                    /** @description When the attempt was made, in Unix seconds; absent without a secret */
                    "webhook-timestamp"?: string;
                    /** @description UUID of the delivery, the same for every attempt */
                    "X-Service-CI-Delivery": string;
                    /** @description The event */
                    "X-Service-CI-Event": string;
                    /** @description Id of the webhook */
                    "X-Service-CI-Hook-ID": string;
                    /** @description `sha256=` and the HMAC of the body in hexadecimal digits; absent without a secret */
                    "X-Service-CI-Signature"?: string;
                    /** @description `true` if a user requested the event as a test; absent otherwise */
                    "X-Service-CI-Test"?: string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "id": 42,
                     *       "user_id": 1,
                     *       "namespace_id": 1,
                     *       "number": 42,
                     *       "status": "passed",
                     *       "output": "hello\n",
                     *       "tags": [],
                     *       "pinned": false,
                     *       "created_at": "2026-01-01T11:59:00.000Z",
                     *       "started_at": "2026-01-01T11:59:10.000Z",
                     *       "finished_at": "2026-01-01T12:00:00.000Z",
                     *       "reason": null,
                     *       "url": "https://ci.example.com/b/ann/42",
                     *       "objects_url": "https://ci.example.com/b/ann/42/objects",
                     *       "variables_url": "https://ci.example.com/b/ann/42/variables",
                     *       "keys_url": "https://ci.example.com/b/ann/42/keys",
                     *       "jobs_url": "https://ci.example.com/b/ann/42/jobs",
                     *       "artifacts_url": "https://ci.example.com/b/ann/42/artifacts",
                     *       "tags_url": "https://ci.example.com/b/ann/42/tags",
                     *       "output_url": "https://ci.example.com/b/ann/42/output",
                     *       "content_url": "https://ci.example.com/b/ann/42/output?download",
                     *       "user": {
                     *         "id": 1,
                     *         "email": "ann@example.com",
                     *         "username": "ann",
                     *         "created_at": "2026-01-01T12:00:00.000Z"
                     *       },
                     *       "namespace": {
                     *         "id": 1,
                     *         "user_id": 1,
                     *         "root_id": 1,
                     *         "parent_id": null,
                     *         "name": "team",
                     *         "path": "team",
                     *         "description": "",
                     *         "visibility": "private",
                     *         "created_at": "2026-01-01T12:00:00.000Z",
                     *         "url": "https://ci.example.com/n/ann/team",
                     *         "builds_url": "https://ci.example.com/n/ann/team/-/builds",
                     *         "namespaces_url": "https://ci.example.com/n/ann/team/-/namespaces",
                     *         "images_url": "https://ci.example.com/n/ann/team/-/images",
                     *         "objects_url": "https://ci.example.com/n/ann/team/-/objects",
                     *         "variables_url": "https://ci.example.com/n/ann/team/-/variables",
                     *         "keys_url": "https://ci.example.com/n/ann/team/-/keys",
                     *         "invites_url": "https://ci.example.com/n/ann/team/-/invites",
                     *         "collaborators_url": "https://ci.example.com/n/ann/team/-/collaborators",
                     *         "webhooks_url": "https://ci.example.com/n/ann/team/-/webhooks",
                     *         "user": {
                     *           "id": 1,
                     *           "email": "ann@example.com",
                     *           "username": "ann",
                     *           "created_at": "2026-01-01T12:00:00.000Z"
                     *         }
                     *       },
                     *       "trigger": {
                     *         "type": "manual",
                     *         "comment": "An example",
                     *         "data": {}
                     *       },
                     *       "queue": null,
                     *       "group": null,
                     *       "manifest": "driver:\n  type: docker\n  image: busybox:1.37\n  workspace: /work\nstages: [test]\njobs:\n  - stage: test\n    commands: [echo hello]\n",
                     *       "tests": null
                     *     }
                     */
                    "application/json": components["schemas"]["Build"];
                };
            };
            responses: {
                /** @description The receiver accepts the delivery */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The receiver wants no more deliveries: the webhook is deactivated */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed, and is retried */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    cron: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A webhook sends cron */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description UUID of the delivery, the same for every attempt; absent without a secret */
                    "webhook-id"?: string;
                    /** @description One or more signatures, separated by spaces; absent without a secret */
                    "webhook-signature"?: string;
                    /** @description When the attempt was made, in Unix seconds; absent without a secret */
                    "webhook-timestamp"?: string;
                    /** @description UUID of the delivery, the same for every attempt */
                    "X-Service-CI-Delivery": string;
                    /** @description The event */
                    "X-Service-CI-Event": string;
                    /** @description Id of the webhook */
                    "X-Service-CI-Hook-ID": string;
                    /** @description `sha256=` and the HMAC of the body in hexadecimal digits; absent without a secret */
                    "X-Service-CI-Signature"?: string;
                    /** @description `true` if a user requested the event as a test; absent otherwise */
                    "X-Service-CI-Test"?: string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "action": "created",
                     *       "cron": {
                     *         "id": 42,
                     *         "user_id": 1,
                     *         "author_id": 1,
                     *         "namespace_id": 1,
                     *         "name": "nightly",
                     *         "schedule": "daily",
                     *         "timezone": "UTC",
                     *         "manifest": "driver:\n  type: docker\n  image: busybox:1.37\n  workspace: /work\nstages: [test]\njobs:\n  - stage: test\n    commands: [echo hello]\n",
                     *         "created_at": "2026-01-01T12:00:00.000Z",
                     *         "prev_run": null,
                     *         "next_run": "2026-01-02T12:00:00.000Z",
                     *         "last_error": null,
                     *         "url": "https://ci.example.com/cron/42",
                     *         "author": {
                     *           "id": 1,
                     *           "email": "ann@example.com",
                     *           "username": "ann",
                     *           "created_at": "2026-01-01T12:00:00.000Z"
                     *         },
                     *         "user": {
                     *           "id": 1,
                     *           "email": "ann@example.com",
                     *           "username": "ann",
                     *           "created_at": "2026-01-01T12:00:00.000Z"
                     *         },
                     *         "namespace": {
                     *           "id": 1,
                     *           "user_id": 1,
                     *           "root_id": 1,
                     *           "parent_id": null,
                     *           "name": "team",
                     *           "path": "team",
                     *           "description": "",
                     *           "visibility": "private",
                     *           "created_at": "2026-01-01T12:00:00.000Z",
                     *           "url": "https://ci.example.com/n/ann/team",
                     *           "builds_url": "https://ci.example.com/n/ann/team/-/builds",
                     *           "namespaces_url": "https://ci.example.com/n/ann/team/-/namespaces",
                     *           "images_url": "https://ci.example.com/n/ann/team/-/images",
                     *           "objects_url": "https://ci.example.com/n/ann/team/-/objects",
                     *           "variables_url": "https://ci.example.com/n/ann/team/-/variables",
                     *           "keys_url": "https://ci.example.com/n/ann/team/-/keys",
                     *           "invites_url": "https://ci.example.com/n/ann/team/-/invites",
                     *           "collaborators_url": "https://ci.example.com/n/ann/team/-/collaborators",
                     *           "webhooks_url": "https://ci.example.com/n/ann/team/-/webhooks",
                     *           "user": {
                     *             "id": 1,
                     *             "email": "ann@example.com",
                     *             "username": "ann",
                     *             "created_at": "2026-01-01T12:00:00.000Z"
                     *           }
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CronChanged"];
                };
            };
            responses: {
                /** @description The receiver accepts the delivery */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The receiver wants no more deliveries: the webhook is deactivated */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed, and is retried */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    images: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A webhook sends images */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description UUID of the delivery, the same for every attempt; absent without a secret */
                    "webhook-id"?: string;
                    /** @description One or more signatures, separated by spaces; absent without a secret */
                    "webhook-signature"?: string;
                    /** @description When the attempt was made, in Unix seconds; absent without a secret */
                    "webhook-timestamp"?: string;
                    /** @description UUID of the delivery, the same for every attempt */
                    "X-Service-CI-Delivery": string;
                    /** @description The event */
                    "X-Service-CI-Event": string;
                    /** @description Id of the webhook */
                    "X-Service-CI-Hook-ID": string;
                    /** @description `sha256=` and the HMAC of the body in hexadecimal digits; absent without a secret */
                    "X-Service-CI-Signature"?: string;
                    /** @description `true` if a user requested the event as a test; absent otherwise */
                    "X-Service-CI-Test"?: string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "action": "created",
                     *       "image": {
                     *         "id": 42,
                     *         "author_id": 1,
                     *         "user_id": 1,
                     *         "namespace_id": 1,
                     *         "name": "debian-12",
                     *         "created_at": "2026-01-01T12:00:00.000Z",
                     *         "url": "https://ci.example.com/images/42",
                     *         "content_url": "https://ci.example.com/images/42?download",
                     *         "author": {
                     *           "id": 1,
                     *           "email": "ann@example.com",
                     *           "username": "ann",
                     *           "created_at": "2026-01-01T12:00:00.000Z"
                     *         },
                     *         "user": {
                     *           "id": 1,
                     *           "email": "ann@example.com",
                     *           "username": "ann",
                     *           "created_at": "2026-01-01T12:00:00.000Z"
                     *         },
                     *         "namespace": {
                     *           "id": 1,
                     *           "user_id": 1,
                     *           "root_id": 1,
                     *           "parent_id": null,
                     *           "name": "team",
                     *           "path": "team",
                     *           "description": "",
                     *           "visibility": "private",
                     *           "created_at": "2026-01-01T12:00:00.000Z",
                     *           "url": "https://ci.example.com/n/ann/team",
                     *           "builds_url": "https://ci.example.com/n/ann/team/-/builds",
                     *           "namespaces_url": "https://ci.example.com/n/ann/team/-/namespaces",
                     *           "images_url": "https://ci.example.com/n/ann/team/-/images",
                     *           "objects_url": "https://ci.example.com/n/ann/team/-/objects",
                     *           "variables_url": "https://ci.example.com/n/ann/team/-/variables",
                     *           "keys_url": "https://ci.example.com/n/ann/team/-/keys",
                     *           "invites_url": "https://ci.example.com/n/ann/team/-/invites",
                     *           "collaborators_url": "https://ci.example.com/n/ann/team/-/collaborators",
                     *           "webhooks_url": "https://ci.example.com/n/ann/team/-/webhooks",
                     *           "user": {
                     *             "id": 1,
                     *             "email": "ann@example.com",
                     *             "username": "ann",
                     *             "created_at": "2026-01-01T12:00:00.000Z"
                     *           }
                     *         },
                     *         "driver": "qemu",
                     *         "download": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ImageChanged"];
                };
            };
            responses: {
                /** @description The receiver accepts the delivery */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The receiver wants no more deliveries: the webhook is deactivated */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed, and is retried */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invite.accepted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A webhook sends invite.accepted */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description UUID of the delivery, the same for every attempt; absent without a secret */
                    "webhook-id"?: string;
                    /** @description One or more signatures, separated by spaces; absent without a secret */
                    "webhook-signature"?: string;
                    /** @description When the attempt was made, in Unix seconds; absent without a secret */
                    "webhook-timestamp"?: string;
                    /** @description UUID of the delivery, the same for every attempt */
                    "X-Service-CI-Delivery": string;
                    /** @description The event */
                    "X-Service-CI-Event": string;
                    /** @description Id of the webhook */
                    "X-Service-CI-Hook-ID": string;
                    /** @description `sha256=` and the HMAC of the body in hexadecimal digits; absent without a secret */
                    "X-Service-CI-Signature"?: string;
                    /** @description `true` if a user requested the event as a test; absent otherwise */
                    "X-Service-CI-Test"?: string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "invitee": {
                     *         "id": 1,
                     *         "email": "ann@example.com",
                     *         "username": "ann",
                     *         "created_at": "2026-01-01T12:00:00.000Z"
                     *       },
                     *       "namespace": {
                     *         "id": 1,
                     *         "user_id": 1,
                     *         "root_id": 1,
                     *         "parent_id": null,
                     *         "name": "team",
                     *         "path": "team",
                     *         "description": "",
                     *         "visibility": "private",
                     *         "created_at": "2026-01-01T12:00:00.000Z",
                     *         "url": "https://ci.example.com/n/ann/team",
                     *         "builds_url": "https://ci.example.com/n/ann/team/-/builds",
                     *         "namespaces_url": "https://ci.example.com/n/ann/team/-/namespaces",
                     *         "images_url": "https://ci.example.com/n/ann/team/-/images",
                     *         "objects_url": "https://ci.example.com/n/ann/team/-/objects",
                     *         "variables_url": "https://ci.example.com/n/ann/team/-/variables",
                     *         "keys_url": "https://ci.example.com/n/ann/team/-/keys",
                     *         "invites_url": "https://ci.example.com/n/ann/team/-/invites",
                     *         "collaborators_url": "https://ci.example.com/n/ann/team/-/collaborators",
                     *         "webhooks_url": "https://ci.example.com/n/ann/team/-/webhooks",
                     *         "user": {
                     *           "id": 1,
                     *           "email": "ann@example.com",
                     *           "username": "ann",
                     *           "created_at": "2026-01-01T12:00:00.000Z"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["InviteAnswered"];
                };
            };
            responses: {
                /** @description The receiver accepts the delivery */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The receiver wants no more deliveries: the webhook is deactivated */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed, and is retried */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invite.rejected": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A webhook sends invite.rejected */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description UUID of the delivery, the same for every attempt; absent without a secret */
                    "webhook-id"?: string;
                    /** @description One or more signatures, separated by spaces; absent without a secret */
                    "webhook-signature"?: string;
                    /** @description When the attempt was made, in Unix seconds; absent without a secret */
                    "webhook-timestamp"?: string;
                    /** @description UUID of the delivery, the same for every attempt */
                    "X-Service-CI-Delivery": string;
                    /** @description The event */
                    "X-Service-CI-Event": string;
                    /** @description Id of the webhook */
                    "X-Service-CI-Hook-ID": string;
                    /** @description `sha256=` and the HMAC of the body in hexadecimal digits; absent without a secret */
                    "X-Service-CI-Signature"?: string;
                    /** @description `true` if a user requested the event as a test; absent otherwise */
                    "X-Service-CI-Test"?: string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "invitee": {
                     *         "id": 1,
                     *         "email": "ann@example.com",
                     *         "username": "ann",
                     *         "created_at": "2026-01-01T12:00:00.000Z"
                     *       },
                     *       "namespace": {
                     *         "id": 1,
                     *         "user_id": 1,
                     *         "root_id": 1,
                     *         "parent_id": null,
                     *         "name": "team",
                     *         "path": "team",
                     *         "description": "",
                     *         "visibility": "private",
                     *         "created_at": "2026-01-01T12:00:00.000Z",
                     *         "url": "https://ci.example.com/n/ann/team",
                     *         "builds_url": "https://ci.example.com/n/ann/team/-/builds",
                     *         "namespaces_url": "https://ci.example.com/n/ann/team/-/namespaces",
                     *         "images_url": "https://ci.example.com/n/ann/team/-/images",
                     *         "objects_url": "https://ci.example.com/n/ann/team/-/objects",
                     *         "variables_url": "https://ci.example.com/n/ann/team/-/variables",
                     *         "keys_url": "https://ci.example.com/n/ann/team/-/keys",
                     *         "invites_url": "https://ci.example.com/n/ann/team/-/invites",
                     *         "collaborators_url": "https://ci.example.com/n/ann/team/-/collaborators",
                     *         "webhooks_url": "https://ci.example.com/n/ann/team/-/webhooks",
                     *         "user": {
                     *           "id": 1,
                     *           "email": "ann@example.com",
                     *           "username": "ann",
                     *           "created_at": "2026-01-01T12:00:00.000Z"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["InviteAnswered"];
                };
            };
            responses: {
                /** @description The receiver accepts the delivery */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The receiver wants no more deliveries: the webhook is deactivated */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed, and is retried */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invite.sent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A webhook sends invite.sent */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description UUID of the delivery, the same for every attempt; absent without a secret */
                    "webhook-id"?: string;
                    /** @description One or more signatures, separated by spaces; absent without a secret */
                    "webhook-signature"?: string;
                    /** @description When the attempt was made, in Unix seconds; absent without a secret */
                    "webhook-timestamp"?: string;
                    /** @description UUID of the delivery, the same for every attempt */
                    "X-Service-CI-Delivery": string;
                    /** @description The event */
                    "X-Service-CI-Event": string;
                    /** @description Id of the webhook */
                    "X-Service-CI-Hook-ID": string;
                    /** @description `sha256=` and the HMAC of the body in hexadecimal digits; absent without a secret */
                    "X-Service-CI-Signature"?: string;
                    /** @description `true` if a user requested the event as a test; absent otherwise */
                    "X-Service-CI-Test"?: string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "invitee": {
                     *         "id": 1,
                     *         "email": "ann@example.com",
                     *         "username": "ann",
                     *         "created_at": "2026-01-01T12:00:00.000Z"
                     *       },
                     *       "inviter": {
                     *         "id": 1,
                     *         "email": "ann@example.com",
                     *         "username": "ann",
                     *         "created_at": "2026-01-01T12:00:00.000Z"
                     *       },
                     *       "namespace": {
                     *         "id": 1,
                     *         "user_id": 1,
                     *         "root_id": 1,
                     *         "parent_id": null,
                     *         "name": "team",
                     *         "path": "team",
                     *         "description": "",
                     *         "visibility": "private",
                     *         "created_at": "2026-01-01T12:00:00.000Z",
                     *         "url": "https://ci.example.com/n/ann/team",
                     *         "builds_url": "https://ci.example.com/n/ann/team/-/builds",
                     *         "namespaces_url": "https://ci.example.com/n/ann/team/-/namespaces",
                     *         "images_url": "https://ci.example.com/n/ann/team/-/images",
                     *         "objects_url": "https://ci.example.com/n/ann/team/-/objects",
                     *         "variables_url": "https://ci.example.com/n/ann/team/-/variables",
                     *         "keys_url": "https://ci.example.com/n/ann/team/-/keys",
                     *         "invites_url": "https://ci.example.com/n/ann/team/-/invites",
                     *         "collaborators_url": "https://ci.example.com/n/ann/team/-/collaborators",
                     *         "webhooks_url": "https://ci.example.com/n/ann/team/-/webhooks",
                     *         "user": {
                     *           "id": 1,
                     *           "email": "ann@example.com",
                     *           "username": "ann",
                     *           "created_at": "2026-01-01T12:00:00.000Z"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["InviteSent"];
                };
            };
            responses: {
                /** @description The receiver accepts the delivery */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The receiver wants no more deliveries: the webhook is deactivated */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed, and is retried */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    namespaces: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A webhook sends namespaces */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description UUID of the delivery, the same for every attempt; absent without a secret */
                    "webhook-id"?: string;
                    /** @description One or more signatures, separated by spaces; absent without a secret */
                    "webhook-signature"?: string;
                    /** @description When the attempt was made, in Unix seconds; absent without a secret */
                    "webhook-timestamp"?: string;
                    /** @description UUID of the delivery, the same for every attempt */
                    "X-Service-CI-Delivery": string;
                    /** @description The event */
                    "X-Service-CI-Event": string;
                    /** @description Id of the webhook */
                    "X-Service-CI-Hook-ID": string;
                    /** @description `sha256=` and the HMAC of the body in hexadecimal digits; absent without a secret */
                    "X-Service-CI-Signature"?: string;
                    /** @description `true` if a user requested the event as a test; absent otherwise */
                    "X-Service-CI-Test"?: string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "action": "updated",
                     *       "namespace": {
                     *         "id": 1,
                     *         "user_id": 1,
                     *         "root_id": 1,
                     *         "parent_id": null,
                     *         "name": "team",
                     *         "path": "team",
                     *         "description": "",
                     *         "visibility": "private",
                     *         "created_at": "2026-01-01T12:00:00.000Z",
                     *         "url": "https://ci.example.com/n/ann/team",
                     *         "builds_url": "https://ci.example.com/n/ann/team/-/builds",
                     *         "namespaces_url": "https://ci.example.com/n/ann/team/-/namespaces",
                     *         "images_url": "https://ci.example.com/n/ann/team/-/images",
                     *         "objects_url": "https://ci.example.com/n/ann/team/-/objects",
                     *         "variables_url": "https://ci.example.com/n/ann/team/-/variables",
                     *         "keys_url": "https://ci.example.com/n/ann/team/-/keys",
                     *         "invites_url": "https://ci.example.com/n/ann/team/-/invites",
                     *         "collaborators_url": "https://ci.example.com/n/ann/team/-/collaborators",
                     *         "webhooks_url": "https://ci.example.com/n/ann/team/-/webhooks",
                     *         "user": {
                     *           "id": 1,
                     *           "email": "ann@example.com",
                     *           "username": "ann",
                     *           "created_at": "2026-01-01T12:00:00.000Z"
                     *         },
                     *         "parent": null,
                     *         "build": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["NamespaceChanged"];
                };
            };
            responses: {
                /** @description The receiver accepts the delivery */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The receiver wants no more deliveries: the webhook is deactivated */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed, and is retried */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    objects: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A webhook sends objects */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description UUID of the delivery, the same for every attempt; absent without a secret */
                    "webhook-id"?: string;
                    /** @description One or more signatures, separated by spaces; absent without a secret */
                    "webhook-signature"?: string;
                    /** @description When the attempt was made, in Unix seconds; absent without a secret */
                    "webhook-timestamp"?: string;
                    /** @description UUID of the delivery, the same for every attempt */
                    "X-Service-CI-Delivery": string;
                    /** @description The event */
                    "X-Service-CI-Event": string;
                    /** @description Id of the webhook */
                    "X-Service-CI-Hook-ID": string;
                    /** @description `sha256=` and the HMAC of the body in hexadecimal digits; absent without a secret */
                    "X-Service-CI-Signature"?: string;
                    /** @description `true` if a user requested the event as a test; absent otherwise */
                    "X-Service-CI-Test"?: string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "action": "created",
                     *       "object": {
                     *         "id": 42,
                     *         "author_id": 1,
                     *         "user_id": 1,
                     *         "namespace_id": 1,
                     *         "name": "hello.txt",
                     *         "type": "text/plain",
                     *         "size": 6,
                     *         "md5": "b1946ac92492d2347c6235b4d2611184",
                     *         "sha256": "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
                     *         "created_at": "2026-01-01T12:00:00.000Z",
                     *         "url": "https://ci.example.com/objects/42",
                     *         "content_url": "https://ci.example.com/objects/42?download",
                     *         "builds_url": "https://ci.example.com/objects/42/builds",
                     *         "author": {
                     *           "id": 1,
                     *           "email": "ann@example.com",
                     *           "username": "ann",
                     *           "created_at": "2026-01-01T12:00:00.000Z"
                     *         },
                     *         "user": {
                     *           "id": 1,
                     *           "email": "ann@example.com",
                     *           "username": "ann",
                     *           "created_at": "2026-01-01T12:00:00.000Z"
                     *         },
                     *         "namespace": {
                     *           "id": 1,
                     *           "user_id": 1,
                     *           "root_id": 1,
                     *           "parent_id": null,
                     *           "name": "team",
                     *           "path": "team",
                     *           "description": "",
                     *           "visibility": "private",
                     *           "created_at": "2026-01-01T12:00:00.000Z",
                     *           "url": "https://ci.example.com/n/ann/team",
                     *           "builds_url": "https://ci.example.com/n/ann/team/-/builds",
                     *           "namespaces_url": "https://ci.example.com/n/ann/team/-/namespaces",
                     *           "images_url": "https://ci.example.com/n/ann/team/-/images",
                     *           "objects_url": "https://ci.example.com/n/ann/team/-/objects",
                     *           "variables_url": "https://ci.example.com/n/ann/team/-/variables",
                     *           "keys_url": "https://ci.example.com/n/ann/team/-/keys",
                     *           "invites_url": "https://ci.example.com/n/ann/team/-/invites",
                     *           "collaborators_url": "https://ci.example.com/n/ann/team/-/collaborators",
                     *           "webhooks_url": "https://ci.example.com/n/ann/team/-/webhooks",
                     *           "user": {
                     *             "id": 1,
                     *             "email": "ann@example.com",
                     *             "username": "ann",
                     *             "created_at": "2026-01-01T12:00:00.000Z"
                     *           }
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ObjectChanged"];
                };
            };
            responses: {
                /** @description The receiver accepts the delivery */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The receiver wants no more deliveries: the webhook is deactivated */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed, and is retried */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    ssh_keys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A webhook sends ssh_keys */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description UUID of the delivery, the same for every attempt; absent without a secret */
                    "webhook-id"?: string;
                    /** @description One or more signatures, separated by spaces; absent without a secret */
                    "webhook-signature"?: string;
                    /** @description When the attempt was made, in Unix seconds; absent without a secret */
                    "webhook-timestamp"?: string;
                    /** @description UUID of the delivery, the same for every attempt */
                    "X-Service-CI-Delivery": string;
                    /** @description The event */
                    "X-Service-CI-Event": string;
                    /** @description Id of the webhook */
                    "X-Service-CI-Hook-ID": string;
                    /** @description `sha256=` and the HMAC of the body in hexadecimal digits; absent without a secret */
                    "X-Service-CI-Signature"?: string;
                    /** @description `true` if a user requested the event as a test; absent otherwise */
                    "X-Service-CI-Test"?: string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "action": "created",
                     *       "ssh_key": {
                     *         "id": 42,
                     *         "author_id": 1,
                     *         "user_id": 1,
                     *         "namespace_id": 1,
                     *         "name": "deploy",
                     *         "config": "",
                     *         "created_at": "2026-01-01T12:00:00.000Z",
                     *         "updated_at": "2026-01-01T12:00:00.000Z",
                     *         "url": "https://ci.example.com/keys/42",
                     *         "author": {
                     *           "id": 1,
                     *           "email": "ann@example.com",
                     *           "username": "ann",
                     *           "created_at": "2026-01-01T12:00:00.000Z"
                     *         },
                     *         "user": {
                     *           "id": 1,
                     *           "email": "ann@example.com",
                     *           "username": "ann",
                     *           "created_at": "2026-01-01T12:00:00.000Z"
                     *         },
                     *         "namespace": {
                     *           "id": 1,
                     *           "user_id": 1,
                     *           "root_id": 1,
                     *           "parent_id": null,
                     *           "name": "team",
                     *           "path": "team",
                     *           "description": "",
                     *           "visibility": "private",
                     *           "created_at": "2026-01-01T12:00:00.000Z",
                     *           "url": "https://ci.example.com/n/ann/team",
                     *           "builds_url": "https://ci.example.com/n/ann/team/-/builds",
                     *           "namespaces_url": "https://ci.example.com/n/ann/team/-/namespaces",
                     *           "images_url": "https://ci.example.com/n/ann/team/-/images",
                     *           "objects_url": "https://ci.example.com/n/ann/team/-/objects",
                     *           "variables_url": "https://ci.example.com/n/ann/team/-/variables",
                     *           "keys_url": "https://ci.example.com/n/ann/team/-/keys",
                     *           "invites_url": "https://ci.example.com/n/ann/team/-/invites",
                     *           "collaborators_url": "https://ci.example.com/n/ann/team/-/collaborators",
                     *           "webhooks_url": "https://ci.example.com/n/ann/team/-/webhooks",
                     *           "user": {
                     *             "id": 1,
                     *             "email": "ann@example.com",
                     *             "username": "ann",
                     *             "created_at": "2026-01-01T12:00:00.000Z"
                     *           }
                     *         }
                     *       },
                     *       "key": {
                     *         "id": 42,
                     *         "author_id": 1,
                     *         "user_id": 1,
                     *         "namespace_id": 1,
                     *         "name": "deploy",
                     *         "config": "",
                     *         "created_at": "2026-01-01T12:00:00.000Z",
                     *         "updated_at": "2026-01-01T12:00:00.000Z",
                     *         "url": "https://ci.example.com/keys/42",
                     *         "author": {
                     *           "id": 1,
                     *           "email": "ann@example.com",
                     *           "username": "ann",
                     *           "created_at": "2026-01-01T12:00:00.000Z"
                     *         },
                     *         "user": {
                     *           "id": 1,
                     *           "email": "ann@example.com",
                     *           "username": "ann",
                     *           "created_at": "2026-01-01T12:00:00.000Z"
                     *         },
                     *         "namespace": {
                     *           "id": 1,
                     *           "user_id": 1,
                     *           "root_id": 1,
                     *           "parent_id": null,
                     *           "name": "team",
                     *           "path": "team",
                     *           "description": "",
                     *           "visibility": "private",
                     *           "created_at": "2026-01-01T12:00:00.000Z",
                     *           "url": "https://ci.example.com/n/ann/team",
                     *           "builds_url": "https://ci.example.com/n/ann/team/-/builds",
                     *           "namespaces_url": "https://ci.example.com/n/ann/team/-/namespaces",
                     *           "images_url": "https://ci.example.com/n/ann/team/-/images",
                     *           "objects_url": "https://ci.example.com/n/ann/team/-/objects",
                     *           "variables_url": "https://ci.example.com/n/ann/team/-/variables",
                     *           "keys_url": "https://ci.example.com/n/ann/team/-/keys",
                     *           "invites_url": "https://ci.example.com/n/ann/team/-/invites",
                     *           "collaborators_url": "https://ci.example.com/n/ann/team/-/collaborators",
                     *           "webhooks_url": "https://ci.example.com/n/ann/team/-/webhooks",
                     *           "user": {
                     *             "id": 1,
                     *             "email": "ann@example.com",
                     *             "username": "ann",
                     *             "created_at": "2026-01-01T12:00:00.000Z"
                     *           }
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["KeyChanged"];
                };
            };
            responses: {
                /** @description The receiver accepts the delivery */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The receiver wants no more deliveries: the webhook is deactivated */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed, and is retried */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    variables: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A webhook sends variables */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description UUID of the delivery, the same for every attempt; absent without a secret */
                    "webhook-id"?: string;
                    /** @description One or more signatures, separated by spaces; absent without a secret */
                    "webhook-signature"?: string;
                    /** @description When the attempt was made, in Unix seconds; absent without a secret */
                    "webhook-timestamp"?: string;
                    /** @description UUID of the delivery, the same for every attempt */
                    "X-Service-CI-Delivery": string;
                    /** @description The event */
                    "X-Service-CI-Event": string;
                    /** @description Id of the webhook */
                    "X-Service-CI-Hook-ID": string;
                    /** @description `sha256=` and the HMAC of the body in hexadecimal digits; absent without a secret */
                    "X-Service-CI-Signature"?: string;
                    /** @description `true` if a user requested the event as a test; absent otherwise */
                    "X-Service-CI-Test"?: string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "action": "created",
                     *       "variable": {
                     *         "id": 42,
                     *         "author_id": 1,
                     *         "user_id": 1,
                     *         "namespace_id": 1,
                     *         "key": "GREETING",
                     *         "value": "hello",
                     *         "masked": false,
                     *         "url": "https://ci.example.com/variables/42",
                     *         "created_at": "2026-01-01T12:00:00.000Z",
                     *         "author": {
                     *           "id": 1,
                     *           "email": "ann@example.com",
                     *           "username": "ann",
                     *           "created_at": "2026-01-01T12:00:00.000Z"
                     *         },
                     *         "user": {
                     *           "id": 1,
                     *           "email": "ann@example.com",
                     *           "username": "ann",
                     *           "created_at": "2026-01-01T12:00:00.000Z"
                     *         },
                     *         "namespace": {
                     *           "id": 1,
                     *           "user_id": 1,
                     *           "root_id": 1,
                     *           "parent_id": null,
                     *           "name": "team",
                     *           "path": "team",
                     *           "description": "",
                     *           "visibility": "private",
                     *           "created_at": "2026-01-01T12:00:00.000Z",
                     *           "url": "https://ci.example.com/n/ann/team",
                     *           "builds_url": "https://ci.example.com/n/ann/team/-/builds",
                     *           "namespaces_url": "https://ci.example.com/n/ann/team/-/namespaces",
                     *           "images_url": "https://ci.example.com/n/ann/team/-/images",
                     *           "objects_url": "https://ci.example.com/n/ann/team/-/objects",
                     *           "variables_url": "https://ci.example.com/n/ann/team/-/variables",
                     *           "keys_url": "https://ci.example.com/n/ann/team/-/keys",
                     *           "invites_url": "https://ci.example.com/n/ann/team/-/invites",
                     *           "collaborators_url": "https://ci.example.com/n/ann/team/-/collaborators",
                     *           "webhooks_url": "https://ci.example.com/n/ann/team/-/webhooks",
                     *           "user": {
                     *             "id": 1,
                     *             "email": "ann@example.com",
                     *             "username": "ann",
                     *             "created_at": "2026-01-01T12:00:00.000Z"
                     *           }
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["VariableChanged"];
                };
            };
            responses: {
                /** @description The receiver accepts the delivery */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The receiver wants no more deliveries: the webhook is deactivated */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed, and is retried */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /** @description An invite that was accepted */
        Accepted: {
            /** @description The user that accepted it */
            invitee: components["schemas"]["User"];
            /** @description The user that sent the invite */
            inviter: components["schemas"]["User"];
            /** @description Root of the tree that the invitee has joined; null if it is gone */
            namespace: components["schemas"]["NamespaceCopy"] | null;
        };
        /** @description A user */
        Account: {
            /** @description Whether the user administers this installation */
            admin: boolean;
            /**
             * Format: date-time
             * @description When the user was created
             */
            created_at: string;
            /** @description E-mail address of the user */
            email: string;
            /** @description Id of the user */
            id: number;
            /** @description Name of the user, as it appears in URLs */
            username: string;
        };
        /** @description A file that a job produced */
        Artifact: {
            /** @description The build */
            build: components["schemas"]["BuildCopy"];
            /** @description Id of the build */
            build_id: number;
            /** @description Address to download the content from; null without content */
            content_url: string | null;
            /**
             * Format: date-time
             * @description When the record was created
             */
            created_at: string;
            /** @description When curation deleted the content; null if it did not */
            deleted_at: string | null;
            /** @description Id of the artifact */
            id: number;
            /** @description The job that produced the artifact */
            job: components["schemas"]["JobCopy"];
            /** @description Id of the job that produced the artifact */
            job_id: number;
            /** @description MD5 of the content; null without content */
            md5: string | null;
            /** @description Name of the artifact, unique in its build */
            name: string;
            /** @description SHA-256 of the content; null without content */
            sha256: string | null;
            /** @description Size in bytes; null until the job has finished, and after curation */
            size: number | null;
            /** @description Path or pattern in the job's environment, from the manifest */
            source: string;
            /**
             * Format: uri
             * @description Address of the artifact
             */
            url: string;
            /** @description The user that the build belongs to */
            user: components["schemas"]["User"];
            /** @description Id of the user that the build belongs to */
            user_id: number;
        };
        /** @description One attempt to change something */
        AuditEntry: {
            /** @description Name of the operation in `/openapi.json` */
            action: string;
            /**
             * @description Who acted: a user, a repository's hook or a cron job
             * @enum {string}
             */
            actor: "user" | "hook" | "cron";
            /** @description IP address of the client */
            address: string | null;
            /**
             * Format: date-time
             * @description When the request arrived
             */
            created_at: string;
            /**
             * Format: uuid
             * @description Id of the entry
             */
            id: string;
            /** @description Kind of record that the operation changes */
            kind: string;
            /** @description Method of the request */
            method: string | null;
            /** @description Namespace of the record, as `path@owner`; null if there is none, or if the request did not name it */
            namespace: string | null;
            /** @description Address of the hook or cron job that submitted the build */
            origin_url: string | null;
            /**
             * @description The outcome. `failed` and `unfinished` requests may have changed something
             * @enum {string}
             */
            outcome: "unfinished" | "done" | "refused" | "failed";
            /** @description Path of the request, without its query */
            path: string | null;
            /** @description Address of the record in the response */
            record_url: string | null;
            /** @description The response's `X-Request-Id` */
            request_id: string | null;
            /** @description Status of the response; null while the request is unfinished */
            status: number | null;
            /** @description Id of the token; null for hooks and cron jobs */
            token_id: number | null;
            /** @description Name of the token */
            token_name: string | null;
            /** @description User agent of the client */
            user_agent: string | null;
            /** @description Id of the user; null if the token was not valid */
            user_id: number | null;
            /** @description Name of the user at that time */
            username: string | null;
        };
        /** @description The request cannot be read, or the state forbids it */
        BadRequest: {
            /** @description What is wrong */
            message: string;
        };
        /** @description A build */
        Build: {
            /**
             * Format: uri
             * @description Address of the list of artifacts
             */
            artifacts_url: string;
            /**
             * Format: uri
             * @description Address to download the whole output from, as a file
             */
            content_url: string;
            /**
             * Format: date-time
             * @description When the build was submitted
             */
            created_at: string;
            /** @description When the build finished; null before that */
            finished_at: string | null;
            /** @description The builds of one matrix; null without a matrix */
            group: {
                /** @description The build's combination of the matrix; empty if the build kept no manifest */
                axes: {
                    [key: string]: string;
                };
                /** @description Id of the group: that of its first build */
                id: number;
                /** @description Index of the build in the group, from 0 */
                index: number;
                /** @description Number of builds in the group */
                size: number;
            } | null;
            /** @description Id of the build */
            id: number;
            /**
             * Format: uri
             * @description Address of the list of jobs
             */
            jobs_url: string;
            /**
             * Format: uri
             * @description Address of the list of the build's SSH keys
             */
            keys_url: string;
            /** @description The manifest as it was submitted; in lists at most its first 64 KiB, then an invalid line. A build of a fork that was killed before a member approved it keeps no manifest and no jobs: then it is empty */
            manifest: string;
            /** @description The namespace; null for a build without one */
            namespace: components["schemas"]["NamespaceCopy"] | null;
            /** @description Id of the namespace; null for a build without one */
            namespace_id: number | null;
            /** @description Number of the build, counted per user */
            number: number;
            /**
             * Format: uri
             * @description Address of the list of objects placed into the build
             */
            objects_url: string;
            /** @description The end of the output; null before the first byte */
            output: string | null;
            /**
             * Format: uri
             * @description Address of the whole output
             */
            output_url: string;
            /** @description Whether the artifacts are protected from curation */
            pinned: boolean;
            /** @description The build's place in the queue; null if it is not queued */
            queue: {
                /** @description Place in the queue, from 1 to 500; 500 also stands for all later places */
                position: number;
                /**
                 * @description Why the build is not running yet
                 * @enum {string}
                 */
                reason: "waiting for a runner" | "limit of user" | "limit of namespace" | "limit of group" | "no runner for driver" | "waits for approval";
            } | null;
            /** @description Why the build did not pass, such as `exit code 3`; null if it passed */
            reason: string | null;
            /** @description When a runner started the build; null before that */
            started_at: string | null;
            /**
             * @description Status of the build
             * @enum {string}
             */
            status: "queued" | "running" | "passed" | "passed_with_failures" | "failed" | "killed" | "timed_out";
            /** @description Names of the tags, sorted */
            tags: string[];
            /**
             * Format: uri
             * @description Address of the list of tags
             */
            tags_url: string;
            /** @description Test results that the jobs have reported so far; null without reports */
            tests: {
                /** @description Number of tests that failed */
                failed: number;
                /** @description Total duration of all tests, in seconds */
                seconds: number;
                /** @description Number of tests that did not run */
                skipped: number;
                /** @description Number of tests */
                total: number;
            } | null;
            /** @description Why the build was submitted */
            trigger: components["schemas"]["Trigger"];
            /**
             * Format: uri
             * @description Address of the build
             */
            url: string;
            /** @description The user that the build belongs to */
            user: components["schemas"]["User"];
            /** @description Id of the user that the build belongs to */
            user_id: number;
            /**
             * Format: uri
             * @description Address of the list of the build's variables
             */
            variables_url: string;
        };
        /** @description A build inside another record */
        BuildCopy: {
            /**
             * Format: uri
             * @description Address of the list of artifacts
             */
            artifacts_url: string;
            /**
             * Format: uri
             * @description Address to download the whole output from, as a file
             */
            content_url: string;
            /**
             * Format: date-time
             * @description When the build was submitted
             */
            created_at: string;
            /** @description When the build finished; null before that */
            finished_at: string | null;
            /** @description The builds of one matrix; null without a matrix */
            group: {
                /** @description The build's combination of the matrix; empty if the build kept no manifest */
                axes: {
                    [key: string]: string;
                };
                /** @description Id of the group: that of its first build */
                id: number;
                /** @description Index of the build in the group, from 0 */
                index: number;
                /** @description Number of builds in the group */
                size: number;
            } | null;
            /** @description Id of the build */
            id: number;
            /**
             * Format: uri
             * @description Address of the list of jobs
             */
            jobs_url: string;
            /**
             * Format: uri
             * @description Address of the list of the build's SSH keys
             */
            keys_url: string;
            /** @description The namespace; null for a build without one */
            namespace: components["schemas"]["NamespaceCopy"] | null;
            /** @description Id of the namespace; null for a build without one */
            namespace_id: number | null;
            /** @description Number of the build, counted per user */
            number: number;
            /**
             * Format: uri
             * @description Address of the list of objects placed into the build
             */
            objects_url: string;
            /** @description Always null; see `output_url` */
            output: null;
            /**
             * Format: uri
             * @description Address of the whole output
             */
            output_url: string;
            /** @description Whether the artifacts are protected from curation */
            pinned: boolean;
            /** @description The build's place in the queue; null if it is not queued */
            queue: {
                /** @description Place in the queue, from 1 to 500; 500 also stands for all later places */
                position: number;
                /**
                 * @description Why the build is not running yet
                 * @enum {string}
                 */
                reason: "waiting for a runner" | "limit of user" | "limit of namespace" | "limit of group" | "no runner for driver" | "waits for approval";
            } | null;
            /** @description Why the build did not pass, such as `exit code 3`; null if it passed */
            reason: string | null;
            /** @description When a runner started the build; null before that */
            started_at: string | null;
            /**
             * @description Status of the build
             * @enum {string}
             */
            status: "queued" | "running" | "passed" | "passed_with_failures" | "failed" | "killed" | "timed_out";
            /** @description Names of the tags, sorted */
            tags: string[];
            /**
             * Format: uri
             * @description Address of the list of tags
             */
            tags_url: string;
            /** @description Why the build was submitted */
            trigger: components["schemas"]["Trigger"];
            /**
             * Format: uri
             * @description Address of the build
             */
            url: string;
            /** @description The user that the build belongs to */
            user: components["schemas"]["User"];
            /** @description Id of the user that the build belongs to */
            user_id: number;
            /**
             * Format: uri
             * @description Address of the list of the build's variables
             */
            variables_url: string;
        };
        /** @description An SSH key as it was copied into a build */
        BuildKey: {
            /** @description The build */
            build: components["schemas"]["BuildCopy"];
            /** @description Id of the build */
            build_id: number;
            /** @description Lines for the SSH client's configuration */
            config: string;
            /** @description Id of this copy */
            id: number;
            /** @description Id of the key; null if it does not exist */
            key_id: number | null;
            /** @description Path of the private key in the build's environment */
            location: string;
            /** @description Name of the key */
            name: string;
        };
        /** @description An object that a build's manifest lists */
        BuildObject: {
            /** @description The build */
            build: components["schemas"]["BuildCopy"];
            /** @description Id of the build */
            build_id: number;
            /** @description Id of this entry */
            id: number;
            /** @description MD5 of the content; null if the object was not found */
            md5: string | null;
            /** @description Path that the object is placed at */
            name: string;
            /** @description Address of the object; null if it does not exist */
            object_url: string | null;
            /** @description Whether the object was placed into the build's environment */
            placed: boolean;
            /** @description SHA-256 of the content; null if the object was not found */
            sha256: string | null;
            /** @description Name of the object */
            source: string;
            /** @description Media type of the content; null if the object was not found */
            type: string | null;
        };
        /** @description New tags of a build */
        BuildTagged: {
            /** @description The build */
            build: components["schemas"]["BuildCopy"];
            /** @description The new tags */
            tags: {
                /** @description Name of the tag */
                name: string;
                /**
                 * Format: uri
                 * @description Address of the tag
                 */
                url: string;
            }[];
            /**
             * Format: uri
             * @description Address of the list of the build's tags
             */
            url: string;
            /** @description The user that added the tags */
            user: components["schemas"]["User"];
        };
        /** @description A variable as it was copied into a build */
        BuildVariable: {
            /** @description The build */
            build: components["schemas"]["BuildCopy"];
            /** @description Id of the build */
            build_id: number;
            /** @description Id of this copy */
            id: number;
            /** @description Name of the environment variable */
            key: string;
            /** @description Whether the value is hidden from responses and output */
            masked: boolean;
            /** @description Value; `xxxxxx` for a masked variable */
            value: string;
            /** @description Address of the variable; null if it does not exist */
            variable_url: string | null;
        };
        /** @description A cache entry: files that builds keep for later builds */
        Cache: {
            /**
             * Format: date-time
             * @description When it was stored
             */
            created_at: string;
            /**
             * @description Driver of the builds that use the entry
             * @enum {string}
             */
            driver: "docker" | "qemu" | "os";
            /** @description Id of the entry */
            id: number;
            /** @description Hash of the key files */
            key: string;
            /** @description Name of the cache, from the manifest */
            name: string;
            /** @description The root namespace; null for an entry without one */
            namespace: components["schemas"]["NamespaceCopy"] | null;
            /** @description Id of the root namespace whose builds use it; null if a user's own builds do */
            namespace_id: number | null;
            /** @description Size of the files in bytes */
            size: number;
            /** @description Compressed size in bytes */
            stored_size: number;
            /**
             * Format: date-time
             * @description When a build last used it
             */
            used_at: string;
            /** @description The owner */
            user: components["schemas"]["User"];
            /** @description Id of the owner: the namespace's owner, or the user whose builds use the entry */
            user_id: number;
        };
        /** @description A user who works in a namespace's tree without owning it */
        Collaborator: {
            /**
             * Format: date-time
             * @description When the user became a collaborator
             */
            created_at: string;
            /** @description E-mail address of the user */
            email: string;
            /** @description Id of the user */
            id: number;
            /** @description Address for removing the collaborator; null if the namespace is gone */
            url: string | null;
            /** @description Name of the user, as it appears in URLs */
            username: string;
        };
        /** @description A Git repository that was just connected */
        ConnectedRepository: {
            /** @description Whether a newer push to a branch or pull request kills the builds of older pushes */
            cancel_superseded: boolean;
            /**
             * Format: date-time
             * @description When the repository was connected
             */
            created_at: string;
            /** @description The delivery of the first builds; null if `build` was not requested or the repository has no commit */
            delivery: components["schemas"]["HookDelivery"] | null;
            /**
             * @description Builds of pull requests from forks: `approve` lets a limited number of them wait for a member's approval (further ones are not made, and the hook's log says so), `run` runs them, `ignore` skips them and kills those that wait
             * @enum {string}
             */
            forks: "approve" | "run" | "ignore";
            /** @description Whether an access token is stored, for private repositories and statuses */
            has_access_token: boolean;
            /**
             * @description Whether the service registered `hook_url` at the provider, or a user has to add it `by_hand`
             * @enum {string}
             */
            hook: "by_hand" | "registered" | "pending";
            /** @description Why the hook is not registered; null if it is */
            hook_reason: string | null;
            /**
             * Format: uri
             * @description Address that the provider sends its events to
             */
            hook_url: string;
            /** @description Id of the repository */
            id: number;
            /** @description When the provider's newest event arrived, without repeated ones; null if none arrived while deliveries are kept */
            last_event_at: string | null;
            /** @description The namespace; null if it is gone */
            namespace: components["schemas"]["NamespaceCopy"] | null;
            /** @description Id of the namespace that the builds go to */
            namespace_id: number;
            /**
             * @description What hosts the repository
             * @enum {string}
             */
            provider: "github" | "gitlab" | "gitea";
            /** @description Address that the repository is cloned from */
            url: string;
            /** @description The user that the builds belong to */
            user: components["schemas"]["User"];
            /** @description Id of the user that the builds belong to */
            user_id: number;
        };
        /** @description A cron job: a build that is submitted on a schedule */
        Cron: {
            /** @description The user that created the record */
            author: components["schemas"]["User"];
            /** @description Id of the user that created the record */
            author_id: number;
            /**
             * Format: date-time
             * @description When the record was created
             */
            created_at: string;
            /** @description Id of the cron job */
            id: number;
            /** @description Why the last build could not be submitted; null if it was */
            last_error: string | null;
            /** @description Manifest of the builds; in lists at most its first 64 KiB, then an invalid line */
            manifest: string;
            /** @description Name of the cron job */
            name: string;
            /** @description The namespace; null for a record without one */
            namespace: components["schemas"]["NamespaceCopy"] | null;
            /** @description Id of the namespace; null for a record without one */
            namespace_id: number | null;
            /**
             * Format: date-time
             * @description When the next build is due
             */
            next_run: string;
            /** @description When the last build was submitted; null before the first */
            prev_run: string | null;
            /** @description When the build is submitted: `hourly`, `daily`, `weekly`, `monthly`, or the five fields of an expression */
            schedule: string;
            /** @description IANA time zone of the schedule */
            timezone: string;
            /**
             * Format: uri
             * @description Address of the record
             */
            url: string;
            /** @description The owner */
            user: components["schemas"]["User"];
            /** @description Id of the owner: the namespace's, or the author if there is no namespace */
            user_id: number;
        };
        /** @description A cron job that was created, updated or deleted */
        CronChanged: {
            /**
             * @description What happened
             * @enum {string}
             */
            action: "created" | "updated" | "deleted";
            cron: components["schemas"]["Cron"];
        };
        /** @description An event that is sent to a webhook */
        Delivery: {
            /** @description Number of attempts so far */
            attempt_count: number;
            /** @description HTTP status of the last attempt; null without a response */
            code: number | null;
            /**
             * Format: date-time
             * @description When the delivery was created
             */
            created_at: string;
            /**
             * Format: uuid
             * @description Id that the receiver gets, the same in every attempt
             */
            delivery_id: string;
            /** @description How long the last attempt took, in nanoseconds; null before the first */
            duration: number | null;
            /** @description Why the last attempt failed; null if it did not */
            error: string | null;
            /** @description Name of the event */
            event: components["schemas"]["Event"];
            /**
             * Format: uuid
             * @description Id of the event, the same for every webhook
             */
            event_id: string;
            /** @description Id of the delivery */
            id: number;
            /** @description When the next attempt is due; null if there is none */
            next_attempt_at: string | null;
            /**
             * @description Status of the delivery
             * @enum {string}
             */
            status: "pending" | "delivered" | "failed" | "cancelled";
            /** @description Address of the delivery; null if the namespace is gone */
            url: string | null;
        };
        /** @description Counts of the deliveries in a webhook's log */
        DeliveryStats: {
            /** @description Counts that have reached their limit: the log may have more of these */
            at_least: ("pending" | "delivered" | "failed" | "cancelled" | "tests")[];
            /** @description Deliveries that were cancelled because the webhook was deactivated */
            cancelled: number;
            /** @description Deliveries that the receiver has accepted; null if there are too many others to tell */
            delivered: number | null;
            /** @description Deliveries that failed for good */
            failed: number;
            /** @description Deliveries that wait for an attempt */
            pending: number;
            /** @description When the oldest delivery in the log was created; null if the log is empty */
            since: string | null;
            /** @description Tests among all these */
            tests: number;
        };
        /**
         * @description Name of an event
         * @enum {string}
         */
        Event: "build.submitted" | "build.started" | "build.finished" | "build.tagged" | "build.pinned" | "build.unpinned" | "invite.sent" | "invite.accepted" | "invite.rejected" | "namespaces" | "cron" | "images" | "objects" | "variables" | "ssh_keys";
        /** @description The token lacks the permission */
        Forbidden: {
            /** @description What is wrong */
            message: string;
        };
        /** @description A delivery with its request, last response and attempts */
        FullDelivery: {
            /** @description Number of attempts so far */
            attempt_count: number;
            /** @description The attempts, oldest first */
            attempts: {
                /** @description HTTP status of the receiver; null if it did not respond */
                code: number | null;
                /**
                 * Format: date-time
                 * @description When the attempt was made
                 */
                created_at: string;
                /** @description How long the attempt took, in nanoseconds */
                duration: number;
                /** @description Why the attempt failed; null if it succeeded */
                error: string | null;
                /** @description Number of the attempt, from 1 */
                number: number;
                /** @description Whether a user requested the attempt */
                redelivery: boolean;
            }[];
            /** @description HTTP status of the last attempt; null without a response */
            code: number | null;
            /**
             * Format: date-time
             * @description When the delivery was created
             */
            created_at: string;
            /**
             * Format: uuid
             * @description Id that the receiver gets, the same in every attempt
             */
            delivery_id: string;
            /** @description How long the last attempt took, in nanoseconds; null before the first */
            duration: number | null;
            /** @description Why the last attempt failed; null if it did not */
            error: string | null;
            /** @description Name of the event */
            event: components["schemas"]["Event"];
            /**
             * Format: uuid
             * @description Id of the event, the same for every webhook
             */
            event_id: string;
            /** @description Id of the delivery */
            id: number;
            /** @description When the next attempt is due; null if there is none */
            next_attempt_at: string | null;
            /** @description The request that is sent */
            request: {
                /** @description Headers of the request */
                headers: {
                    [key: string]: string;
                };
                /** @description Body of the request */
                payload: string;
            };
            /** @description The last response; null without one */
            response: {
                /** @description Beginning of the body */
                body: string;
                /** @description HTTP status */
                code: number;
                /** @description Headers of the response */
                headers: {
                    [key: string]: string;
                };
                /** @description Whether the body was longer */
                truncated: boolean;
            } | null;
            /**
             * @description Status of the delivery
             * @enum {string}
             */
            status: "pending" | "delivered" | "failed" | "cancelled";
            /** @description Address of the delivery; null if the namespace is gone */
            url: string | null;
        };
        /** @description An event that a provider sent, and the builds that it triggered */
        HookDelivery: {
            /** @description Addresses of the builds that it triggered */
            builds: string[];
            /**
             * Format: date-time
             * @description When it was received
             */
            created_at: string;
            /** @description The provider's id of the delivery; one of the service's own if no provider sent it */
            delivery_id: string;
            /** @description The event as the provider names it; `connected` for the first builds, `run` for a run by hand */
            event: string;
            /** @description Id of the delivery */
            id: number;
            /** @description Why it triggered no build, or not one for each manifest */
            reasons: string[];
            /** @description Id of the delivery that it repeats; null if it repeats none */
            redelivery_of: number | null;
            /** @description Branch or tag; null if the event cannot trigger builds */
            ref: string | null;
            /** @description Id of the repository */
            repository_id: number;
            /** @description Id of the commit; null if the event cannot trigger builds */
            sha: string | null;
            /**
             * @description `pending` while it is processed, `skipped` if it triggers no build, `failed` if a manifest is invalid
             * @enum {string}
             */
            status: "pending" | "built" | "skipped" | "failed";
            /** @description Address of the delivery; null if the namespace is gone */
            url: string | null;
        };
        /** @description The builds that a provider's event triggered */
        Hooked: {
            /** @description Addresses of the submitted builds */
            builds: string[];
        };
        /** @description A user's identity at an OpenID Connect provider */
        Identity: {
            /**
             * Format: date-time
             * @description When it was connected to the user
             */
            created_at: string;
            /** @description Id of the identity */
            id: number;
            /** @description URL of the provider */
            issuer: string;
            /** @description When the user last signed in with it; null if never */
            last_used_at: string | null;
            /** @description Username at the provider at the last sign-in; may be empty */
            name: string;
            /** @description Id of the user at the provider */
            subject: string;
            /**
             * Format: uri
             * @description Address of the identity
             */
            url: string;
            /** @description Id of the user who signs in with it */
            user_id: number;
        };
        /** @description A disk image for virtual machines */
        Image: {
            /** @description The user that created the record */
            author: components["schemas"]["User"];
            /** @description Id of the user that created the record */
            author_id: number;
            /** @description Address to download the content from; null until the image has content */
            content_url: string | null;
            /**
             * Format: date-time
             * @description When the record was created
             */
            created_at: string;
            /** @description Where the image was downloaded from; null for an upload */
            download: {
                /**
                 * Format: date-time
                 * @description When the download was requested
                 */
                created_at: string;
                /** @description Why the download failed; null if it did not */
                error: string | null;
                /** @description When the download ended; null before that */
                finished_at: string | null;
                /** @description Bytes received so far; null before the first */
                received: number | null;
                /** @description Address that the image is downloaded from, without its password */
                source: string;
                /** @description When the first attempt started; null before that */
                started_at: string | null;
                /** @description Size in bytes that the source announced; null if it did not */
                total: number | null;
            } | null;
            /**
             * @description Driver that the image is for
             * @constant
             */
            driver: "qemu";
            /** @description Id of the image */
            id: number;
            /** @description Name of the image */
            name: string;
            /** @description The namespace; null for a record without one */
            namespace: components["schemas"]["NamespaceCopy"] | null;
            /** @description Id of the namespace; null for a record without one */
            namespace_id: number | null;
            /**
             * Format: uri
             * @description Address of the record
             */
            url: string;
            /** @description The owner */
            user: components["schemas"]["User"];
            /** @description Id of the owner: the namespace's, or the author if there is no namespace */
            user_id: number;
        };
        /** @description A disk image that was created, updated or deleted */
        ImageChanged: {
            /**
             * @description What happened
             * @enum {string}
             */
            action: "created" | "updated" | "deleted";
            image: components["schemas"]["Image"];
        };
        /** @description The service failed unexpectedly */
        InternalError: {
            /**
             * @description What is wrong
             * @constant
             */
            message: "Internal error";
        };
        /** @description An open invite to the tree of a namespace */
        Invite: {
            /**
             * Format: date-time
             * @description When the invite was sent
             */
            created_at: string;
            /** @description Id of the invite */
            id: number;
            /** @description The user that may accept it */
            invitee: components["schemas"]["User"];
            /** @description Id of the user that may accept it */
            invitee_id: number;
            /** @description The user that sent the invite */
            inviter: components["schemas"]["User"];
            /** @description Id of the user that sent the invite */
            inviter_id: number;
            /** @description The namespace; null if it is gone */
            namespace: components["schemas"]["NamespaceCopy"] | null;
            /** @description Id of the namespace */
            namespace_id: number;
            /**
             * Format: uri
             * @description Address of the invite
             */
            url: string;
        };
        /** @description An invite that was accepted or rejected */
        InviteAnswered: {
            /** @description The user that was invited */
            invitee: components["schemas"]["User"];
            /** @description The namespace; null if it is gone */
            namespace: components["schemas"]["NamespaceCopy"] | null;
        };
        /** @description An invite that was sent */
        InviteSent: {
            /** @description The user that was invited */
            invitee: components["schemas"]["User"];
            /** @description The user that sent the invite */
            inviter: components["schemas"]["User"];
            /** @description The namespace; null if it is gone */
            namespace: components["schemas"]["NamespaceCopy"] | null;
        };
        /** @description A job of a build */
        Job: {
            /** @description The build */
            build: components["schemas"]["BuildCopy"];
            /** @description Id of the build */
            build_id: number;
            /** @description Commands of the job, one per line */
            commands: string;
            /** @description The same as `commands`, kept for old clients */
            commmands: string;
            /**
             * Format: uri
             * @description Address to download the whole output from, as a file
             */
            content_url: string;
            /**
             * Format: date-time
             * @description When the build was submitted
             */
            created_at: string;
            /** @description Exit code of the script; null before its end and for a job without a script */
            exit_code: number | null;
            /** @description When the job finished; null before that */
            finished_at: string | null;
            /** @description Id of the job */
            id: number;
            /** @description Name of the job, unique in its build */
            name: string;
            /** @description The end of the output; null before the first byte */
            output: string | null;
            /**
             * Format: uri
             * @description Address of the whole output
             */
            output_url: string;
            /** @description Why the job did not pass, such as `exit code 3`; null if it passed */
            reason: string | null;
            /** @description Stage that the job belongs to */
            stage: string;
            /** @description When the job started; null before that */
            started_at: string | null;
            /**
             * @description Status of the job
             * @enum {string}
             */
            status: "queued" | "running" | "passed" | "passed_with_failures" | "failed" | "killed" | "timed_out";
            /**
             * Format: uri
             * @description Address of the job
             */
            url: string;
        };
        /** @description A job inside another record */
        JobCopy: {
            /** @description Id of the build */
            build_id: number;
            /** @description Commands of the job, one per line */
            commands: string;
            /** @description The same as `commands`, kept for old clients */
            commmands: string;
            /**
             * Format: uri
             * @description Address to download the whole output from, as a file
             */
            content_url: string;
            /**
             * Format: date-time
             * @description When the build was submitted
             */
            created_at: string;
            /** @description Exit code of the script; null before its end and for a job without a script */
            exit_code: number | null;
            /** @description When the job finished; null before that */
            finished_at: string | null;
            /** @description Id of the job */
            id: number;
            /** @description Name of the job, unique in its build */
            name: string;
            /** @description Always null; see `output_url` */
            output: null;
            /**
             * Format: uri
             * @description Address of the whole output
             */
            output_url: string;
            /** @description Why the job did not pass, such as `exit code 3`; null if it passed */
            reason: string | null;
            /** @description Stage that the job belongs to */
            stage: string;
            /** @description When the job started; null before that */
            started_at: string | null;
            /**
             * @description Status of the job
             * @enum {string}
             */
            status: "queued" | "running" | "passed" | "passed_with_failures" | "failed" | "killed" | "timed_out";
            /**
             * Format: uri
             * @description Address of the job
             */
            url: string;
        };
        /** @description An SSH key for builds, without its private half */
        Key: {
            /** @description The user that created the record */
            author: components["schemas"]["User"];
            /** @description Id of the user that created the record */
            author_id: number;
            /** @description Lines for the SSH client's configuration */
            config: string;
            /**
             * Format: date-time
             * @description When the record was created
             */
            created_at: string;
            /** @description Id of the key */
            id: number;
            /** @description Name of the key, and of its file in a build */
            name: string;
            /** @description The namespace; null for a record without one */
            namespace: components["schemas"]["NamespaceCopy"] | null;
            /** @description Id of the namespace; null for a record without one */
            namespace_id: number | null;
            /**
             * Format: date-time
             * @description When the key was last changed
             */
            updated_at: string;
            /**
             * Format: uri
             * @description Address of the record
             */
            url: string;
            /** @description The owner */
            user: components["schemas"]["User"];
            /** @description Id of the owner: the namespace's, or the author if there is no namespace */
            user_id: number;
        };
        /** @description An SSH key that was created, updated or deleted */
        KeyChanged: {
            /**
             * @description What happened
             * @enum {string}
             */
            action: "created" | "updated" | "deleted";
            key: components["schemas"]["Key"];
            ssh_key: components["schemas"]["Key"];
        };
        /** @description The path exists, but not with this method */
        MethodNotAllowed: {
            /**
             * @description What is wrong
             * @constant
             */
            message: "Method Not Allowed";
        };
        /** @description A namespace */
        Namespace: {
            /** @description The newest build of the namespace; null if there is none */
            build: components["schemas"]["BuildCopy"] | null;
            /**
             * Format: uri
             * @description Address of the list of its builds
             */
            builds_url: string;
            /**
             * Format: uri
             * @description Address of the list of its tree's collaborators
             */
            collaborators_url: string;
            /**
             * Format: date-time
             * @description When the namespace was created
             */
            created_at: string;
            /** @description Description of the namespace */
            description: string;
            /** @description Id of the namespace */
            id: number;
            /**
             * Format: uri
             * @description Address of the list of its images
             */
            images_url: string;
            /**
             * Format: uri
             * @description Address of the list of open invites to its tree
             */
            invites_url: string;
            /**
             * Format: uri
             * @description Address of the list of its SSH keys
             */
            keys_url: string;
            /** @description Name of the namespace */
            name: string;
            /**
             * Format: uri
             * @description Address of the list of its direct children
             */
            namespaces_url: string;
            /**
             * Format: uri
             * @description Address of the list of its objects
             */
            objects_url: string;
            /** @description The parent; null for the root of a tree */
            parent: components["schemas"]["NamespaceCopy"] | null;
            /** @description Id of the parent; null for the root of a tree */
            parent_id: number | null;
            /** @description Names from the root of the tree down to this namespace, separated by slashes */
            path: string;
            /** @description Id of the topmost namespace of the tree */
            root_id: number;
            /**
             * Format: uri
             * @description Address of the namespace
             */
            url: string;
            /** @description The owner */
            user: components["schemas"]["User"];
            /** @description Id of the owner */
            user_id: number;
            /**
             * Format: uri
             * @description Address of the list of its variables
             */
            variables_url: string;
            /**
             * @description Who can see the namespace: its members, every user, or everyone
             * @enum {string}
             */
            visibility: "private" | "internal" | "public";
            /**
             * Format: uri
             * @description Address of the list of its webhooks
             */
            webhooks_url: string;
        };
        /** @description A namespace that was created, updated or deleted */
        NamespaceChanged: {
            /**
             * @description What happened
             * @enum {string}
             */
            action: "created" | "updated" | "deleted";
            namespace: components["schemas"]["Namespace"];
        };
        /** @description A namespace inside another record */
        NamespaceCopy: {
            /**
             * Format: uri
             * @description Address of the list of its builds
             */
            builds_url: string;
            /**
             * Format: uri
             * @description Address of the list of its tree's collaborators
             */
            collaborators_url: string;
            /**
             * Format: date-time
             * @description When the namespace was created
             */
            created_at: string;
            /** @description Description of the namespace */
            description: string;
            /** @description Id of the namespace */
            id: number;
            /**
             * Format: uri
             * @description Address of the list of its images
             */
            images_url: string;
            /**
             * Format: uri
             * @description Address of the list of open invites to its tree
             */
            invites_url: string;
            /**
             * Format: uri
             * @description Address of the list of its SSH keys
             */
            keys_url: string;
            /** @description Name of the namespace */
            name: string;
            /**
             * Format: uri
             * @description Address of the list of its direct children
             */
            namespaces_url: string;
            /**
             * Format: uri
             * @description Address of the list of its objects
             */
            objects_url: string;
            /** @description Id of the parent; null for the root of a tree */
            parent_id: number | null;
            /** @description Names from the root of the tree down to this namespace, separated by slashes */
            path: string;
            /** @description Id of the topmost namespace of the tree */
            root_id: number;
            /**
             * Format: uri
             * @description Address of the namespace
             */
            url: string;
            /** @description The owner */
            user: components["schemas"]["User"];
            /** @description Id of the owner */
            user_id: number;
            /**
             * Format: uri
             * @description Address of the list of its variables
             */
            variables_url: string;
            /**
             * @description Who can see the namespace: its members, every user, or everyone
             * @enum {string}
             */
            visibility: "private" | "internal" | "public";
            /**
             * Format: uri
             * @description Address of the list of its webhooks
             */
            webhooks_url: string;
        };
        /** @description An API token that was just created */
        NewToken: {
            /**
             * Format: date-time
             * @description When the token was created
             */
            created_at: string;
            /** @description When the token expires; null if it does not */
            expires_at: string | null;
            /** @description Id of the token */
            id: number;
            /** @description When the token was last used; null if never */
            last_used_at: string | null;
            /** @description Name of the token */
            name: string;
            /** @description Permissions of the token, such as `build:read,write image:read` */
            scope: string;
            /** @description Secret to send as the bearer token; shown only once */
            secret: string;
            /**
             * Format: uri
             * @description Address of the token
             */
            url: string;
            /** @description The user that the token acts for */
            user: components["schemas"]["User"];
            /** @description Id of the user that the token acts for */
            user_id: number;
        };
        /** @description The record does not exist or is hidden from the caller */
        NotFound: {
            /**
             * @description What is wrong
             * @constant
             */
            message: "Not Found";
        };
        /** @description A file that builds can use */
        Object: {
            /** @description The user that created the record */
            author: components["schemas"]["User"];
            /** @description Id of the user that created the record */
            author_id: number;
            /**
             * Format: uri
             * @description Address of the list of builds that used the object
             */
            builds_url: string;
            /**
             * Format: uri
             * @description Address to download the content from
             */
            content_url: string;
            /**
             * Format: date-time
             * @description When the record was created
             */
            created_at: string;
            /** @description Id of the object */
            id: number;
            /** @description MD5 of the content */
            md5: string;
            /** @description Name of the object */
            name: string;
            /** @description The namespace; null for a record without one */
            namespace: components["schemas"]["NamespaceCopy"] | null;
            /** @description Id of the namespace; null for a record without one */
            namespace_id: number | null;
            /** @description SHA-256 of the content */
            sha256: string;
            /** @description Size in bytes */
            size: number;
            /** @description Media type of the content */
            type: string;
            /**
             * Format: uri
             * @description Address of the record
             */
            url: string;
            /** @description The owner */
            user: components["schemas"]["User"];
            /** @description Id of the owner: the namespace's, or the author if there is no namespace */
            user_id: number;
        };
        /** @description A file that builds can use that was created, updated or deleted */
        ObjectChanged: {
            /**
             * @description What happened
             * @enum {string}
             */
            action: "created" | "updated" | "deleted";
            object: components["schemas"]["Object"];
        };
        /** @description The range lies outside the content */
        OutOfRange: {
            /**
             * @description What is wrong
             * @constant
             */
            message: "Range Not Satisfiable";
        };
        /** @description Numbers of queued and running builds, with their history */
        Queue: {
            /** @description The current numbers for each driver */
            drivers: {
                /**
                 * @description The driver
                 * @enum {string}
                 */
                driver: "docker" | "qemu" | "os";
                /** @description Number of queued builds, up to 100,000 */
                queued: number;
                /** @description Number of active runners that serve it */
                runners: number;
                /** @description Number of running builds, up to 100,000 */
                running: number;
            }[];
            /** @description The history, oldest first, in at most 61 periods. Periods in which the service was down are missing */
            history: {
                /**
                 * Format: date-time
                 * @description Start of the period
                 */
                at: string;
                /** @description Number of started builds that ended */
                finished: number;
                /** @description Highest number of queued builds */
                queued: number;
                /** @description Mean duration of the builds that ended; null if none ended */
                run_seconds: number | null;
                /** @description Highest number of active runners */
                runners: number;
                /** @description Highest number of running builds */
                running: number;
                /** @description Number of builds that started */
                started: number;
                /** @description Mean time in the queue of the builds that started; null if none started */
                wait_seconds: number | null;
            }[];
            /** @description When the oldest queued build was queued; null if none is queued */
            oldest_since: string | null;
            /** @description Length of a period of the history */
            period_minutes: number;
        };
        /** @description Deliveries that will be sent again */
        Redelivered: {
            /** @description Whether there may be more */
            at_least: boolean;
            /** @description Number of deliveries that will be sent again, at most 1,000 */
            count: number;
        };
        /** @description Missed events that will be sent */
        Replayed: {
            /** @description Whether there may be more */
            at_least: boolean;
            /** @description Number of missed events among the newest 200 of the namespace; may include one that is being sent */
            count: number;
        };
        /** @description A Git repository whose pushes submit builds */
        Repository: {
            /** @description Whether a newer push to a branch or pull request kills the builds of older pushes */
            cancel_superseded: boolean;
            /**
             * Format: date-time
             * @description When the repository was connected
             */
            created_at: string;
            /**
             * @description Builds of pull requests from forks: `approve` lets a limited number of them wait for a member's approval (further ones are not made, and the hook's log says so), `run` runs them, `ignore` skips them and kills those that wait
             * @enum {string}
             */
            forks: "approve" | "run" | "ignore";
            /** @description Whether an access token is stored, for private repositories and statuses */
            has_access_token: boolean;
            /**
             * @description Whether the service registered `hook_url` at the provider, or a user has to add it `by_hand`
             * @enum {string}
             */
            hook: "by_hand" | "registered" | "pending";
            /** @description Why the hook is not registered; null if it is */
            hook_reason: string | null;
            /**
             * Format: uri
             * @description Address that the provider sends its events to
             */
            hook_url: string;
            /** @description Id of the repository */
            id: number;
            /** @description When the provider's newest event arrived, without repeated ones; null if none arrived while deliveries are kept */
            last_event_at: string | null;
            /** @description The namespace; null if it is gone */
            namespace: components["schemas"]["NamespaceCopy"] | null;
            /** @description Id of the namespace that the builds go to */
            namespace_id: number;
            /**
             * @description What hosts the repository
             * @enum {string}
             */
            provider: "github" | "gitlab" | "gitea";
            /** @description Address that the repository is cloned from */
            url: string;
            /** @description The user that the builds belong to */
            user: components["schemas"]["User"];
            /** @description Id of the user that the builds belong to */
            user_id: number;
        };
        /** @description A process that runs builds */
        Runner: {
            /** @description Whether it reported recently. A runner that is gone stays listed for an hour */
            active: boolean;
            /** @description Number of builds that it is running */
            busy: number;
            /** @description Drivers that it serves */
            drivers: ("docker" | "qemu" | "os")[];
            /** @description Id of the process, which changes with each start */
            id: string;
            /** @description Number of builds that it may run at the same time; null for runners of older versions */
            places: number | null;
            /**
             * Format: date-time
             * @description When it last reported
             */
            seen_at: string;
        };
        /** @description A session of the web page, without its secret */
        Session: {
            /** @description IP address that the user signed in from */
            address: string;
            /**
             * Format: date-time
             * @description When the user signed in
             */
            created_at: string;
            /** @description Whether it is the session of this request */
            current: boolean;
            /**
             * Format: date-time
             * @description When the session expires
             */
            expires_at: string;
            /** @description Id of the session */
            id: number;
            /** @description When the session was last used; null if never */
            last_used_at: string | null;
            /** @description Id of the token that the session acts for; it ends with that token */
            token_id: number;
            /**
             * Format: uri
             * @description Address of the session
             */
            url: string;
            /** @description User agent of the browser */
            user_agent: string;
            /** @description Id of the user who signed in */
            user_id: number;
        };
        /** @description A link that signs in one browser, once */
        SignInLink: {
            /**
             * Format: date-time
             * @description When the link expires
             */
            expires_at: string;
            /** @description Secret for `link` of `POST /session`; shown only once */
            secret: string;
            /**
             * Format: uri
             * @description Address of the page that signs in with the link
             */
            url: string;
        };
        /** @description A tag of a build */
        Tag: {
            /** @description The build */
            build: components["schemas"]["BuildCopy"];
            /** @description Id of the build */
            build_id: number;
            /**
             * Format: date-time
             * @description When the tag was added
             */
            created_at: string;
            /** @description Id of the tag */
            id: number;
            /** @description Name of the tag */
            name: string;
            /**
             * Format: uri
             * @description Address of the tag
             */
            url: string;
            /** @description The user that added the tag */
            user: components["schemas"]["User"];
            /** @description Id of the user that added the tag */
            user_id: number;
        };
        /** @description A test case in a job's report */
        Test: {
            /** @description Name of the class or file */
            class_name: string;
            /** @description Name of the job */
            job: string;
            /** @description Why the test did not pass; null if it passed */
            message: string | null;
            /** @description Name of the test */
            name: string;
            /** @description Beginning of the failure text and of the test's output; null if there is none */
            output: string | null;
            /** @description How long the test took */
            seconds: number;
            /**
             * @description How the test ended
             * @enum {string}
             */
            status: "passed" | "failed" | "skipped";
            /** @description Name of the test suite */
            suite: string;
        };
        /** @description An API token, without its secret */
        Token: {
            /**
             * Format: date-time
             * @description When the token was created
             */
            created_at: string;
            /** @description When the token expires; null if it does not */
            expires_at: string | null;
            /** @description Id of the token */
            id: number;
            /** @description When the token was last used; null if never */
            last_used_at: string | null;
            /** @description Name of the token */
            name: string;
            /** @description Permissions of the token, such as `build:read,write image:read` */
            scope: string;
            /**
             * Format: uri
             * @description Address of the token
             */
            url: string;
            /** @description The user that the token acts for */
            user: components["schemas"]["User"];
            /** @description Id of the user that the token acts for */
            user_id: number;
        };
        /** @description The body is too large */
        TooLarge: {
            /**
             * @description What is wrong
             * @constant
             */
            message: "Request body too large";
        };
        /** @description The token, its user or the address has sent too many requests */
        TooManyRequests: {
            /** @description What is wrong */
            message: string;
        };
        /** @description Why a build was submitted */
        Trigger: {
            /** @description Comment of the user, or message of the commit */
            comment: string;
            /** @description Facts about the trigger, such as the user or the commit */
            data: {
                [key: string]: string;
            };
            /**
             * @description What submitted the build: a user, a push, a pull request or a cron job
             * @enum {string}
             */
            type: "manual" | "push" | "pull" | "schedule";
        };
        /** @description There is no token, or it is not valid */
        Unauthorized: {
            /**
             * @description What is wrong
             * @constant
             */
            message: "Unauthorized";
        };
        /** @description A backing service cannot be reached */
        Unavailable: {
            /**
             * @description What is wrong
             * @constant
             */
            message: "Service unavailable";
        };
        /** @description A user inside another record */
        User: {
            /** @description When the user was created; null if the user is unknown */
            created_at: string | null;
            /** @description E-mail address of the user */
            email: string;
            /** @description Id of the user */
            id: number;
            /** @description Name of the user, as it appears in URLs */
            username: string;
        };
        /** @description An environment variable for builds */
        Variable: {
            /** @description The user that created the record */
            author: components["schemas"]["User"];
            /** @description Id of the user that created the record */
            author_id: number;
            /**
             * Format: date-time
             * @description When the record was created
             */
            created_at: string;
            /** @description Id of the variable */
            id: number;
            /** @description Name of the environment variable */
            key: string;
            /** @description Whether the value is hidden from responses and output */
            masked: boolean;
            /** @description The namespace; null for a record without one */
            namespace: components["schemas"]["NamespaceCopy"] | null;
            /** @description Id of the namespace; null for a record without one */
            namespace_id: number | null;
            /**
             * Format: uri
             * @description Address of the record
             */
            url: string;
            /** @description The owner */
            user: components["schemas"]["User"];
            /** @description Id of the owner: the namespace's, or the author if there is no namespace */
            user_id: number;
            /** @description Value; `xxxxxx` for a masked variable */
            value: string;
        };
        /** @description An environment variable that was created, updated or deleted */
        VariableChanged: {
            /**
             * @description What happened
             * @enum {string}
             */
            action: "created" | "updated" | "deleted";
            variable: components["schemas"]["Variable"];
        };
        /** @description An address that the events of a namespace are sent to */
        Webhook: {
            /** @description Whether events are sent */
            active: boolean;
            /** @description Id of the user that created the webhook */
            author_id: number;
            /**
             * Format: date-time
             * @description When the webhook was created
             */
            created_at: string;
            /** @description Why the service deactivated the webhook; null if it did not */
            disabled_reason: ("gone" | "failing" | "departed") | null;
            /** @description Events that are sent */
            events: components["schemas"]["Event"][];
            /** @description Values by path: only events with one of the values at each path are sent; null if all are sent */
            filter: {
                [key: string]: (string | number | boolean | null)[];
            } | null;
            /** @description Id of the webhook */
            id: number;
            /** @description Outcome of the last attempt; null before the first */
            last_response: {
                /** @description HTTP status of the receiver; null if it did not respond */
                code: number | null;
                /**
                 * Format: date-time
                 * @description When the attempt was made
                 */
                created_at: string;
                /** @description How long the attempt took, in nanoseconds */
                duration: number;
                /** @description Why the attempt failed; null if it succeeded */
                error: string | null;
            } | null;
            /** @description The namespace; null if it is gone */
            namespace: components["schemas"]["NamespaceCopy"] | null;
            /** @description Id of the namespace */
            namespace_id: number;
            /** @description Address that events are sent to */
            payload_url: string;
            /** @description Whether `payload_url` must use https */
            ssl: boolean;
            /** @description Address of the webhook; null if its namespace is gone */
            url: string | null;
            /** @description Id of the namespace's owner */
            user_id: number;
        };
        /** @description Headers that every request to a webhook carries */
        WebhookHeaders: {
            /** @description `xxxxxx` by name, because values are never returned */
            headers: {
                [key: string]: "xxxxxx";
            };
        };
        /** @description How fast requests are sent to a webhook */
        WebhookRateLimit: {
            /** @description The most requests per second; 0 if there is no limit */
            per_second: number;
        };
    };
    responses: {
        /** @description There is no token, or it is not valid */
        401: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                Warning: components["headers"]["Warning"];
                "WWW-Authenticate": components["headers"]["Challenge"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Unauthorized"];
            };
        };
        /** @description The token lacks the permission */
        403: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                Warning: components["headers"]["Warning"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Forbidden"];
            };
        };
        /** @description The record does not exist or is hidden from the caller */
        404: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                Warning: components["headers"]["Warning"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NotFound"];
            };
        };
        /** @description The path exists, but not with this method */
        405: {
            headers: {
                Allow: components["headers"]["Allow"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                Warning: components["headers"]["Warning"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["MethodNotAllowed"];
            };
        };
        /** @description The body is too large */
        413: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                Warning: components["headers"]["Warning"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TooLarge"];
            };
        };
        /** @description The range lies outside the content */
        416: {
            headers: {
                "Content-Range": components["headers"]["Outside"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                Warning: components["headers"]["Warning"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["OutOfRange"];
            };
        };
        /** @description The token, its user or the address has sent too many requests */
        429: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "Retry-After": components["headers"]["RetryAfter"];
                Warning: components["headers"]["Warning"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TooManyRequests"];
            };
        };
        /** @description The service failed unexpectedly */
        500: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                Warning: components["headers"]["Warning"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InternalError"];
            };
        };
        /** @description A backing service cannot be reached */
        503: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "Retry-After": components["headers"]["RetryAfter"];
                Warning: components["headers"]["Warning"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Unavailable"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description Methods of the path */
        Allow: string;
        /** @description How to authenticate */
        Challenge: "Bearer" | "Bearer error=\"invalid_token\"";
        /** @description Name under which clients save the content */
        File: string;
        /** @description Number of the line in which the text begins, if `first_line` asks for it */
        FirstLine: number;
        /** @description Addresses of the previous and the next page */
        Link: string;
        /** @description When the content last changed */
        Modified: string;
        /** @description Size of the content */
        Outside: string;
        /** @description The part of the content that is returned, and its size */
        Part: string;
        /** @description Requests left in this minute and the seconds until it ends (draft-ietf-httpapi-ratelimit-headers) */
        RateLimit: string;
        /** @description Requests per minute that the token, or an address without a token, may send */
        RateLimitPolicy: string;
        /** @description An earlier request with the `Idempotency-Key` has made the record */
        Replayed: "true";
        /** @description Id of the request, also in the service's logs */
        RequestId: string;
        /** @description Seconds to wait before the next request */
        RetryAfter: number;
        /** @description Names parameters of the query that the route does not know, and has ignored (RFC 7234, section 5.5) */
        Warning: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getRoot: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: uri
                         * @description Address of /builds
                         */
                        builds_url: string;
                        /**
                         * Format: uri
                         * @description Address of /cron
                         */
                        cron_url: string;
                        /**
                         * Format: uri
                         * @description Address of /images
                         */
                        images_url: string;
                        /**
                         * Format: uri
                         * @description Address of /invites
                         */
                        invites_url: string;
                        /**
                         * Format: uri
                         * @description Address of /keys
                         */
                        keys_url: string;
                        /**
                         * Format: uri
                         * @description Address of /namespaces
                         */
                        namespaces_url: string;
                        /**
                         * Format: uri
                         * @description Address of /objects
                         */
                        objects_url: string;
                        /**
                         * Format: uri
                         * @description Address of /tokens
                         */
                        tokens_url: string;
                        /**
                         * Format: uri
                         * @description Address of /user
                         */
                        user_url: string;
                        /**
                         * Format: uri
                         * @description Address of /variables
                         */
                        variables_url: string;
                    };
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listAuditEntries: {
        parameters: {
            query?: {
                /** @description Only entries of this operation, such as `submitBuild` */
                action?: string;
                /** @description Only entries from this time on */
                from?: string;
                /** @description Only entries about this kind of record */
                kind?: "user" | "token" | "session" | "identity" | "build" | "cache" | "tag" | "namespace" | "invite" | "collaborator" | "webhook" | "delivery" | "repository" | "image" | "object" | "variable" | "key" | "cron";
                /** @description Only entries about records of this namespace, as `path@user` */
                namespace?: string;
                /** @description Only entries with this outcome */
                outcome?: "unfinished" | "done" | "refused" | "failed";
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
                /** @description Only entries before this time */
                to?: string;
                /** @description Only entries of the token with this id */
                token?: string;
                /** @description Only entries of this user, deleted ones too */
                user?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEntry"][];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `action` */
                        action?: string[];
                        /** @description What is wrong with `from` */
                        from?: string[];
                        /** @description What is wrong with `kind` */
                        kind?: string[];
                        /** @description What is wrong with `namespace` */
                        namespace?: string[];
                        /** @description What is wrong with `outcome` */
                        outcome?: string[];
                        /** @description What is wrong with `to` */
                        to?: string[];
                        /** @description What is wrong with `token` */
                        token?: string[];
                        /** @description What is wrong with `user` */
                        user?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getBuild: {
        parameters: {
            query?: {
                /** @description `true`: `output` is null, which makes the response short */
                brief?: "true" | "false";
            };
            header?: never;
            path: {
                /** @description Number of the build */
                number: number;
                /** @description Name of a user; of a collaborator also the e-mail address */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Build"];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `brief` */
                        brief?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    killBuild: {
        parameters: {
            query?: {
                /** @description `true`: all builds of the build's group */
                group?: "true" | "false";
            };
            header?: never;
            path: {
                /** @description Number of the build */
                number: number;
                /** @description Name of a user; of a collaborator also the e-mail address */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `group` */
                        group?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    approveBuild: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Number of the build */
                number: number;
                /** @description Name of a user; of a collaborator also the e-mail address */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Build"];
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listArtifacts: {
        parameters: {
            query?: {
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
                /** @description Only records whose name contains this text, whatever its case */
                search?: string;
            };
            header?: never;
            path: {
                /** @description Number of the build */
                number: number;
                /** @description Name of a user; of a collaborator also the e-mail address */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Artifact"][];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `search` */
                        search?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getArtifact: {
        parameters: {
            query?: {
                /** @description Any value but `false`: returns the content as a file to save, whatever `Accept` says */
                download?: string;
            };
            header?: {
                /** @description Returns 304 if the content has not changed since */
                "If-Modified-Since"?: string;
                /** @description The part of the content to return, such as `bytes=0-99` */
                Range?: string;
            };
            path: {
                /** @description Name of the record; slashes in it may stand as they are */
                name: string;
                /** @description Number of the build */
                number: number;
                /** @description Name of a user; of a collaborator also the e-mail address */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "Content-Disposition": components["headers"]["File"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Artifact"];
                    "application/octet-stream": string;
                };
            };
            /** @description A part of the content */
            206: {
                headers: {
                    "Content-Disposition": components["headers"]["File"];
                    "Content-Range": components["headers"]["Part"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description Not modified */
            304: {
                headers: {
                    "Last-Modified": components["headers"]["Modified"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            416: components["responses"]["416"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listJobs: {
        parameters: {
            query?: {
                /** @description `true`: `output` is null, which makes the response short */
                brief?: "true" | "false";
                /** @description The same as `search`; with both, a name contains both */
                name?: string;
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
                /** @description Only records whose name contains this text, whatever its case */
                search?: string;
                /** @description Only jobs with this status */
                status?: "queued" | "running" | "passed" | "passed_with_failures" | "failed" | "killed" | "timed_out";
            };
            header?: never;
            path: {
                /** @description Number of the build */
                number: number;
                /** @description Name of a user; of a collaborator also the e-mail address */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"][];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `brief` */
                        brief?: string[];
                        /** @description What is wrong with `name` */
                        name?: string[];
                        /** @description What is wrong with `search` */
                        search?: string[];
                        /** @description What is wrong with `status` */
                        status?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the record; slashes in it may stand as they are */
                name: string;
                /** @description Number of the build */
                number: number;
                /** @description Name of a user; of a collaborator also the e-mail address */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getJobOutput: {
        parameters: {
            query?: {
                /** @description Any value but `false`: returns the content as a file to save, whatever `Accept` says */
                download?: string;
                /** @description `true`: `X-First-Line` of the response says in which line the text begins, counted from 1 */
                first_line?: "true" | "false";
                /** @description `true`: each line begins with the time when it was printed, such as `2026-03-01T12:00:00.000Z`, and a blank. Ids of events do not count these. A text with times has no `Content-Length` and no parts: `Range` is ignored */
                timestamps?: "true" | "false";
            };
            header?: {
                /** @description Id of the last event that the client has; the stream continues after it */
                "Last-Event-ID"?: string;
                /** @description The part of the content to return, such as `bytes=0-99` */
                Range?: string;
            };
            path: {
                /** @description Name of the record; slashes in it may stand as they are */
                name: string;
                /** @description Number of the build */
                number: number;
                /** @description Name of a user; of a collaborator also the e-mail address */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "Content-Disposition": components["headers"]["File"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-First-Line": components["headers"]["FirstLine"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        data: string;
                        /** @constant */
                        event: "output";
                        id: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "end";
                    } | {
                        data: string;
                        /** @constant */
                        event: "end";
                        id: string;
                    };
                    "text/plain": string;
                };
            };
            /** @description A part of the content */
            206: {
                headers: {
                    "Content-Disposition": components["headers"]["File"];
                    "Content-Range": components["headers"]["Part"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-First-Line": components["headers"]["FirstLine"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `first_line` */
                        first_line?: string[];
                        /** @description What is wrong with `timestamps` */
                        timestamps?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            416: components["responses"]["416"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listBuildKeys: {
        parameters: {
            query?: {
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
                /** @description Only records whose name contains this text, whatever its case */
                search?: string;
            };
            header?: never;
            path: {
                /** @description Number of the build */
                number: number;
                /** @description Name of a user; of a collaborator also the e-mail address */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BuildKey"][];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `search` */
                        search?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listBuildObjects: {
        parameters: {
            query?: {
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
                /** @description Only records whose name contains this text, whatever its case */
                search?: string;
            };
            header?: never;
            path: {
                /** @description Number of the build */
                number: number;
                /** @description Name of a user; of a collaborator also the e-mail address */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BuildObject"][];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `search` */
                        search?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getBuildOutput: {
        parameters: {
            query?: {
                /** @description Any value but `false`: returns the content as a file to save, whatever `Accept` says */
                download?: string;
                /** @description `true`: each line begins with the time when it was printed, such as `2026-03-01T12:00:00.000Z`, and a blank. Ids of events do not count these. A text with times has no `Content-Length` and no parts: `Range` is ignored */
                timestamps?: "true" | "false";
            };
            header?: {
                /** @description Id of the last event that the client has; the stream continues after it */
                "Last-Event-ID"?: string;
                /** @description The part of the content to return, such as `bytes=0-99` */
                Range?: string;
            };
            path: {
                /** @description Number of the build */
                number: number;
                /** @description Name of a user; of a collaborator also the e-mail address */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "Content-Disposition": components["headers"]["File"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        data: string;
                        /** @constant */
                        event: "output";
                        id: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "end";
                    } | {
                        data: string;
                        /** @constant */
                        event: "end";
                        id: string;
                    };
                    "text/plain": string;
                };
            };
            /** @description A part of the content */
            206: {
                headers: {
                    "Content-Disposition": components["headers"]["File"];
                    "Content-Range": components["headers"]["Part"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `timestamps` */
                        timestamps?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            416: components["responses"]["416"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    pinBuild: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Number of the build */
                number: number;
                /** @description Name of a user; of a collaborator also the e-mail address */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Build"];
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    restartBuild: {
        parameters: {
            query?: {
                /** @description `true`: all builds of the build's group */
                group?: "true" | "false";
            };
            header?: {
                /** @description Makes it safe to repeat the request: if one of yours with this key has made a build, that build is returned, as it is now */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Number of the build */
                number: number;
                /** @description Name of a user; of a collaborator also the e-mail address */
                user: string;
            };
            cookie?: never;
        };
        /** @description The same fields may be sent as a form, urlencoded or multipart; `variables` can only be empty there */
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Environment variables of the new build; it keeps the others that were given */
                    variables?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Build"];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `group` */
                        group?: string[];
                        /** @description What is wrong with `manifest` */
                        manifest?: string[];
                        /** @description What is wrong with `status` */
                        status?: string[];
                        /** @description What is wrong with `tags` */
                        tags?: string[];
                        /** @description What is wrong with `variables` */
                        variables?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listTags: {
        parameters: {
            query?: {
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
                /** @description Only records whose name contains this text, whatever its case */
                search?: string;
            };
            header?: never;
            path: {
                /** @description Number of the build */
                number: number;
                /** @description Name of a user; of a collaborator also the e-mail address */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tag"][];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `search` */
                        search?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    tagBuild: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Number of the build */
                number: number;
                /** @description Name of a user; of a collaborator also the e-mail address */
                user: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": string[];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tag"][];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `tags` */
                        tags?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getTag: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the record; slashes in it may stand as they are */
                name: string;
                /** @description Number of the build */
                number: number;
                /** @description Name of a user; of a collaborator also the e-mail address */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tag"];
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    untagBuild: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the record; slashes in it may stand as they are */
                name: string;
                /** @description Number of the build */
                number: number;
                /** @description Name of a user; of a collaborator also the e-mail address */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listTests: {
        parameters: {
            query?: {
                /** @description `jobs`, the default: in the order of the jobs; `slowest`: the slowest first */
                order?: "jobs" | "slowest";
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
                /** @description Only tests with this status */
                status?: "passed" | "failed" | "skipped";
            };
            header?: never;
            path: {
                /** @description Number of the build */
                number: number;
                /** @description Name of a user; of a collaborator also the e-mail address */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Test"][];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `order` */
                        order?: string[];
                        /** @description What is wrong with `status` */
                        status?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    unpinBuild: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Number of the build */
                number: number;
                /** @description Name of a user; of a collaborator also the e-mail address */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Build"];
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listBuildVariables: {
        parameters: {
            query?: {
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
                /** @description Only records whose name contains this text, whatever its case */
                search?: string;
            };
            header?: never;
            path: {
                /** @description Number of the build */
                number: number;
                /** @description Name of a user; of a collaborator also the e-mail address */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BuildVariable"][];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `search` */
                        search?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listBuilds: {
        parameters: {
            query?: {
                /** @description `true`: `output` is null, which makes the response short */
                brief?: "true" | "false";
                /** @description Only builds of the group with this id */
                group?: string;
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
                /** @description Only builds with a tag that contains this text, whatever its case */
                search?: string;
                /** @description Only builds with this status */
                status?: "queued" | "running" | "passed" | "passed_with_failures" | "failed" | "killed" | "timed_out";
                /** @description Only builds with this tag */
                tag?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Build"][];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `brief` */
                        brief?: string[];
                        /** @description What is wrong with `group` */
                        group?: string[];
                        /** @description What is wrong with `search` */
                        search?: string[];
                        /** @description What is wrong with `status` */
                        status?: string[];
                        /** @description What is wrong with `tag` */
                        tag?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    submitBuild: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: if one of yours with this key has made a build, that build is returned, as it is now */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The same fields may be sent as a form, urlencoded or multipart; `variables` can only be empty there */
        requestBody: {
            content: {
                "application/json": {
                    /** @description A comment on the build */
                    comment?: string;
                    /** @description The manifest, in YAML */
                    manifest: string;
                    /** @description Names of tags to add */
                    tags?: string[];
                    /** @description Environment variables of this build; they replace stored ones and those of the manifest and of its jobs */
                    variables?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Build"];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `comment` */
                        comment?: string[];
                        /** @description What is wrong with `manifest` */
                        manifest?: string[];
                        /** @description What is wrong with `tags` */
                        tags?: string[];
                        /** @description What is wrong with `variables` */
                        variables?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listCaches: {
        parameters: {
            query?: {
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cache"][];
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    deleteCache: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listCrons: {
        parameters: {
            query?: {
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
                /** @description Only records whose name contains this text, whatever its case */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cron"][];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `search` */
                        search?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    createCron: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The same fields may be sent as a form, urlencoded or multipart */
        requestBody: {
            content: {
                "application/json": {
                    /** @description Manifest of the builds; it also names the namespace */
                    manifest: string;
                    /** @description Name of the cron job */
                    name: string;
                    /** @description When the build is submitted: `hourly`, `daily`, `weekly`, `monthly` or five fields such as `30 4 * * 1-5` */
                    schedule?: string;
                    /** @description The IANA time zone of the schedule, such as `Europe/Berlin`; UTC if missing */
                    timezone?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cron"];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `cron_jobs` */
                        cron_jobs?: string[];
                        /** @description What is wrong with `manifest` */
                        manifest?: string[];
                        /** @description What is wrong with `name` */
                        name?: string[];
                        /** @description What is wrong with `schedule` */
                        schedule?: string[];
                        /** @description What is wrong with `timezone` */
                        timezone?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getCron: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cron"];
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    deleteCron: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    updateCron: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
            };
            cookie?: never;
        };
        /** @description The same fields may be sent as a form, urlencoded or multipart */
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Manifest of the builds; it also names the namespace */
                    manifest?: string;
                    /** @description Name of the cron job */
                    name?: string;
                    /** @description When the build is submitted: `hourly`, `daily`, `weekly`, `monthly` or five fields such as `30 4 * * 1-5` */
                    schedule?: string;
                    /** @description The IANA time zone of the schedule, such as `Europe/Berlin`; UTC if missing */
                    timezone?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cron"];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `manifest` */
                        manifest?: string[];
                        /** @description What is wrong with `name` */
                        name?: string[];
                        /** @description What is wrong with `schedule` */
                        schedule?: string[];
                        /** @description What is wrong with `timezone` */
                        timezone?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listCronBuilds: {
        parameters: {
            query?: {
                /** @description `true`: `output` is null, which makes the response short */
                brief?: "true" | "false";
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
                /** @description Only builds with a tag that contains this text, whatever its case */
                search?: string;
                /** @description Only builds with this status */
                status?: "queued" | "running" | "passed" | "passed_with_failures" | "failed" | "killed" | "timed_out";
                /** @description Only builds with this tag */
                tag?: string;
            };
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Build"][];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `brief` */
                        brief?: string[];
                        /** @description What is wrong with `search` */
                        search?: string[];
                        /** @description What is wrong with `status` */
                        status?: string[];
                        /** @description What is wrong with `tag` */
                        tag?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    runCron: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: if one of yours with this key has made a build, that build is returned, as it is now */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the record */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            201: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Build"];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `manifest` */
                        manifest?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    watchOwnEvents: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the last event that the client has; the stream continues after it */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        /** @description The payload, in JSON, as webhooks get it */
                        data: string;
                        event: components["schemas"]["Event"];
                        /** @description Position in the stream, for Last-Event-ID */
                        id: string;
                    };
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Always `ok`
                         * @constant
                         */
                        status: "ok";
                    };
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    receiveHook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
                /** @description What hosts the repository: `github`, `gitlab` or `gitea` */
                provider: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "*/*": string;
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Hooked"];
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listImages: {
        parameters: {
            query?: {
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
                /** @description Only records whose name contains this text, whatever its case */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Image"][];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `search` */
                        search?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    createImage: {
        parameters: {
            query?: {
                /** @description Name of the image */
                name?: string;
                /** @description Path of the namespace, created if need be; `path@user` for another user's */
                namespace?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Address to download the image from: http, https or sftp */
                    download_url: string;
                    /** @description Name of the image */
                    name: string;
                    /** @description Path of the namespace, created if need be; `path@user` for another user's */
                    namespace?: string;
                };
                "application/octet-stream": string;
                "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description The content
                     */
                    file: string;
                    /** @description Name of the image */
                    name?: string;
                    /** @description Path of the namespace, created if need be; `path@user` for another user's */
                    namespace?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Image"];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `download_url` */
                        download_url?: string[];
                        /** @description What is wrong with `file` */
                        file?: string[];
                        /** @description What is wrong with `images` */
                        images?: string[];
                        /** @description What is wrong with `name` */
                        name?: string[];
                        /** @description What is wrong with `namespace` */
                        namespace?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getImage: {
        parameters: {
            query?: {
                /** @description Any value but `false`: returns the content as a file to save, whatever `Accept` says */
                download?: string;
            };
            header?: {
                /** @description Returns 304 if the content has not changed since */
                "If-Modified-Since"?: string;
                /** @description The part of the content to return, such as `bytes=0-99` */
                Range?: string;
            };
            path: {
                /** @description Id of the record */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "Content-Disposition": components["headers"]["File"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Image"];
                    "application/x-qemu-disk": string;
                };
            };
            /** @description A part of the content */
            206: {
                headers: {
                    "Content-Disposition": components["headers"]["File"];
                    "Content-Range": components["headers"]["Part"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-qemu-disk": string;
                };
            };
            /** @description Not modified */
            304: {
                headers: {
                    "Last-Modified": components["headers"]["Modified"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            416: components["responses"]["416"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    deleteImage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listInvites: {
        parameters: {
            query?: {
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invite"][];
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    deleteInvite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    acceptInvite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listKeys: {
        parameters: {
            query?: {
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
                /** @description Only records whose name contains this text, whatever its case */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"][];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `search` */
                        search?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The same fields may be sent as a form, urlencoded or multipart */
        requestBody: {
            content: {
                "application/json": {
                    /** @description Lines for the SSH client's configuration */
                    config?: string;
                    /** @description The private key, without passphrase */
                    key: string;
                    /** @description Name of the key, and of its file in a build */
                    name: string;
                    /** @description Path of the namespace, created if need be; `path@user` for another user's */
                    namespace?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `config` */
                        config?: string[];
                        /** @description What is wrong with `key` */
                        key?: string[];
                        /** @description What is wrong with `keys` */
                        keys?: string[];
                        /** @description What is wrong with `name` */
                        name?: string[];
                        /** @description What is wrong with `namespace` */
                        namespace?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    deleteKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    updateKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
            };
            cookie?: never;
        };
        /** @description The same fields may be sent as a form, urlencoded or multipart */
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Lines for the SSH client's configuration */
                    config?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `config` */
                        config?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getManifestSchema: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The dialect of JSON Schema */
                        $schema: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    checkManifest: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The same fields may be sent as a form, urlencoded or multipart; `variables` can only be empty there */
        requestBody: {
            content: {
                "application/json": {
                    /** @description A comment on the build */
                    comment?: string;
                    /** @description The manifest, in YAML */
                    manifest: string;
                    /** @description Names of tags to add */
                    tags?: string[];
                    /** @description Environment variables of this build; they replace stored ones and those of the manifest and of its jobs */
                    variables?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Every mistake */
                        errors: {
                            /** @description Column in the line, from 1 */
                            column: number | null;
                            /** @description Line of the manifest, from 1; null if the error is about no single place */
                            line: number | null;
                            /** @description What is wrong, in the words of POST /builds */
                            message: string;
                        }[];
                        /** @description The jobs of the build in order; empty if the manifest cannot be read */
                        jobs: {
                            /** @description Whether the build passes even if the job fails */
                            allow_failure: boolean;
                            /** @description Sources of its artifacts */
                            artifacts: string[];
                            /** @description What it runs */
                            commands: string[];
                            /** @description Its name in the build */
                            name: string;
                            /** @description Its stage */
                            stage: string;
                        }[];
                        /** @description Whether POST /builds accepts the same request */
                        valid: boolean;
                    };
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `comment` */
                        comment?: string[];
                        /** @description What is wrong with `manifest` */
                        manifest?: string[];
                        /** @description What is wrong with `tags` */
                        tags?: string[];
                        /** @description What is wrong with `variables` */
                        variables?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getNamespace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Namespace"];
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    deleteNamespace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    updateNamespace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        /** @description The same fields may be sent as a form, urlencoded or multipart */
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Description of the namespace */
                    description?: string;
                    /** @description Who can see the namespace: `private`, `internal` or `public` */
                    visibility?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Namespace"];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `description` */
                        description?: string[];
                        /** @description What is wrong with `visibility` */
                        visibility?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getBadge: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listNamespaceBuilds: {
        parameters: {
            query?: {
                /** @description `true`: `output` is null, which makes the response short */
                brief?: "true" | "false";
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
                /** @description Only builds with a tag that contains this text, whatever its case */
                search?: string;
                /** @description Only builds with this status */
                status?: "queued" | "running" | "passed" | "passed_with_failures" | "failed" | "killed" | "timed_out";
                /** @description Only builds with this tag */
                tag?: string;
            };
            header?: never;
            path: {
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Build"][];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `brief` */
                        brief?: string[];
                        /** @description What is wrong with `search` */
                        search?: string[];
                        /** @description What is wrong with `status` */
                        status?: string[];
                        /** @description What is wrong with `tag` */
                        tag?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listCollaborators: {
        parameters: {
            query?: {
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
            };
            header?: never;
            path: {
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Collaborator"][];
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    removeCollaborator: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Path of the namespace */
                path: string;
                /** @description Name of a user; of a collaborator also the e-mail address */
                user: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    watchEvents: {
        parameters: {
            query?: never;
            header?: {
                /** @description Id of the last event that the client has; the stream continues after it */
                "Last-Event-ID"?: string;
            };
            path: {
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        /** @description The payload, in JSON, as webhooks get it */
                        data: string;
                        event: components["schemas"]["Event"];
                        /** @description Position in the stream, for Last-Event-ID */
                        id: string;
                    };
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listNamespaceImages: {
        parameters: {
            query?: {
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
                /** @description Only records whose name contains this text, whatever its case */
                search?: string;
            };
            header?: never;
            path: {
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Image"][];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `search` */
                        search?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listNamespaceInvites: {
        parameters: {
            query?: {
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
            };
            header?: never;
            path: {
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invite"][];
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    sendInvite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        /** @description The same fields may be sent as a form, urlencoded or multipart */
        requestBody: {
            content: {
                "application/json": {
                    /** @description Username or e-mail address of the user */
                    handle: string;
                };
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invite"];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `collaborators` */
                        collaborators?: string[];
                        /** @description What is wrong with `handle` */
                        handle?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listNamespaceKeys: {
        parameters: {
            query?: {
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
                /** @description Only records whose name contains this text, whatever its case */
                search?: string;
            };
            header?: never;
            path: {
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"][];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `search` */
                        search?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    leaveNamespace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listChildNamespaces: {
        parameters: {
            query?: {
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
                /** @description Only records whose name contains this text, whatever its case */
                search?: string;
            };
            header?: never;
            path: {
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Namespace"][];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `search` */
                        search?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listNamespaceObjects: {
        parameters: {
            query?: {
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
                /** @description Only records whose name contains this text, whatever its case */
                search?: string;
            };
            header?: never;
            path: {
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Object"][];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `search` */
                        search?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listRepositories: {
        parameters: {
            query?: {
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
            };
            header?: never;
            path: {
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Repository"][];
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    createRepository: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        /** @description The same fields may be sent as a form, urlencoded or multipart */
        requestBody: {
            content: {
                "application/json": {
                    /** @description Access token of the provider, for private repositories and commit statuses */
                    access_token?: string;
                    /** @description Whether the default branch is built now, as after a push; false if missing */
                    build?: boolean;
                    /** @description Whether a newer push to a branch or pull request kills the builds of older pushes; default: false */
                    cancel_superseded?: boolean;
                    /** @description Builds of pull requests from forks: `approve`, `run` or `ignore`; default: `approve` */
                    forks?: string;
                    /** @description What hosts the repository: `github`, `gitlab` or `gitea`; found out from the address if missing */
                    provider?: string;
                    /** @description Secret that the provider signs its events with */
                    secret: string;
                    /** @description Address to clone the repository from */
                    url: string;
                };
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectedRepository"];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `access_token` */
                        access_token?: string[];
                        /** @description What is wrong with `build` */
                        build?: string[];
                        /** @description What is wrong with `cancel_superseded` */
                        cancel_superseded?: string[];
                        /** @description What is wrong with `forks` */
                        forks?: string[];
                        /** @description What is wrong with `provider` */
                        provider?: string[];
                        /** @description What is wrong with `repositories` */
                        repositories?: string[];
                        /** @description What is wrong with `secret` */
                        secret?: string[];
                        /** @description What is wrong with `url` */
                        url?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getRepository: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Repository"];
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    deleteRepository: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    updateRepository: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        /** @description The same fields may be sent as a form, urlencoded or multipart */
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Access token of the provider */
                    access_token?: string;
                    /** @description Whether a newer push to a branch or pull request kills the builds of older pushes */
                    cancel_superseded?: boolean;
                    /** @description Builds of pull requests from forks: `approve`, `run` or `ignore` */
                    forks?: string;
                    /** @description Whether the stored access token is deleted */
                    remove_access_token?: boolean;
                    /** @description New secret that the provider signs its events with; a repository of another member becomes yours, without its old access token */
                    secret?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Repository"];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `access_token` */
                        access_token?: string[];
                        /** @description What is wrong with `cancel_superseded` */
                        cancel_superseded?: string[];
                        /** @description What is wrong with `forks` */
                        forks?: string[];
                        /** @description What is wrong with `remove_access_token` */
                        remove_access_token?: string[];
                        /** @description What is wrong with `secret` */
                        secret?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listHookDeliveries: {
        parameters: {
            query?: {
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
            };
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookDelivery"][];
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getHookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the delivery */
                delivery: number;
                /** @description Id of the record */
                id: number;
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookDelivery"];
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    redeliverHook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the delivery */
                delivery: number;
                /** @description Id of the record */
                id: number;
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookDelivery"];
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    runRepository: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        /** @description The same fields may be sent as a form, urlencoded or multipart */
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Branch or tag, or a full ref such as `refs/tags/v1`; the default branch if missing */
                    ref?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookDelivery"];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `ref` */
                        ref?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listNamespaceVariables: {
        parameters: {
            query?: {
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
                /** @description Only records whose name contains this text, whatever its case */
                search?: string;
            };
            header?: never;
            path: {
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Variable"][];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `search` */
                        search?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
            };
            header?: never;
            path: {
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"][];
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        /** @description The same fields may be sent as a form, urlencoded or multipart; `filter` can only be empty there */
        requestBody: {
            content: {
                "application/json": {
                    /** @description Whether events are sent; true if missing */
                    active?: boolean;
                    /** @description Names of the events that are sent; all if missing or empty */
                    events?: string[];
                    /** @description Values by path: an event is sent only if its body has one of the values at each path */
                    filter?: {
                        [key: string]: (string | number | boolean | null)[];
                    };
                    /** @description Address that events are sent to */
                    payload_url: string;
                    /** @description Secret that requests are signed with */
                    secret?: string;
                    /** @description Whether the address must use https; false if missing */
                    ssl?: boolean;
                };
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `active` */
                        active?: string[];
                        /** @description What is wrong with `events` */
                        events?: string[];
                        /** @description What is wrong with `filter` */
                        filter?: string[];
                        /** @description What is wrong with `payload_url` */
                        payload_url?: string[];
                        /** @description What is wrong with `secret` */
                        secret?: string[];
                        /** @description What is wrong with `ssl` */
                        ssl?: string[];
                        /** @description What is wrong with `webhooks` */
                        webhooks?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        /** @description The same fields may be sent as a form, urlencoded or multipart; `filter` can only be empty there */
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Whether events are sent */
                    active?: boolean;
                    /** @description Names of the events that are sent; all if empty */
                    events?: string[];
                    /** @description Values by path, which replace the filter; an empty object removes it */
                    filter?: {
                        [key: string]: (string | number | boolean | null)[];
                    };
                    /** @description New address; another scheme, host or port removes the headers */
                    payload_url?: string;
                    /** @description Whether requests are no longer signed */
                    remove_secret?: boolean;
                    /** @description Secret that requests are signed with */
                    secret?: string;
                    /** @description Whether the address must use https */
                    ssl?: boolean;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `active` */
                        active?: string[];
                        /** @description What is wrong with `events` */
                        events?: string[];
                        /** @description What is wrong with `filter` */
                        filter?: string[];
                        /** @description What is wrong with `payload_url` */
                        payload_url?: string[];
                        /** @description What is wrong with `remove_secret` */
                        remove_secret?: string[];
                        /** @description What is wrong with `secret` */
                        secret?: string[];
                        /** @description What is wrong with `ssl` */
                        ssl?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
                /** @description `failed`: only deliveries that failed for good */
                status?: "failed";
            };
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"][];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `status` */
                        status?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the delivery */
                delivery: number;
                /** @description Id of the record */
                id: number;
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FullDelivery"];
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    redeliverDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the delivery */
                delivery: number;
                /** @description Id of the record */
                id: number;
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FullDelivery"];
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getWebhookHeaders: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookHeaders"];
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    setWebhookHeaders: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        /** @description The same fields may be sent as a form, urlencoded or multipart; `headers` can only be empty there */
        requestBody: {
            content: {
                "application/json": {
                    /** @description Values by name; `xxxxxx` keeps the stored value */
                    headers: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookHeaders"];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `headers` */
                        headers?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getWebhookRateLimit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookRateLimit"];
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    setWebhookRateLimit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        /** @description The same fields may be sent as a form, urlencoded or multipart */
        requestBody: {
            content: {
                "application/json": {
                    /** @description Whole number from 1 to 1,000; 0 removes the limit */
                    per_second: number;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookRateLimit"];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `per_second` */
                        per_second?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    redeliverFailedDeliveries: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        /** @description The same fields may be sent as a form, urlencoded or multipart */
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: date-time
                     * @description Only deliveries created since
                     */
                    since: string;
                };
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Redelivered"];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `since` */
                        since?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    replayMissedEvents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        /** @description The same fields may be sent as a form, urlencoded or multipart */
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: date-time
                     * @description Only events that happened since; they are kept for about a day
                     */
                    since: string;
                };
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replayed"];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `active` */
                        active?: string[];
                        /** @description What is wrong with `since` */
                        since?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    countDeliveries: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryStats"];
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
                /** @description Path of the namespace */
                path: string;
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        /** @description The same fields may be sent as a form, urlencoded or multipart */
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Name of the event; the webhook's first if missing */
                    event?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FullDelivery"];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `event` */
                        event?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listNamespaces: {
        parameters: {
            query?: {
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
                /** @description Only records whose name contains this text, whatever its case */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Namespace"][];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `search` */
                        search?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    createNamespace: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The same fields may be sent as a form, urlencoded or multipart */
        requestBody: {
            content: {
                "application/json": {
                    /** @description Description of the namespace */
                    description?: string;
                    /** @description Name of the namespace */
                    name: string;
                    /** @description Path of the parent; none for a new tree */
                    parent?: string;
                    /** @description Who can see the namespace: `private`, `internal` or `public` */
                    visibility?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Namespace"];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `description` */
                        description?: string[];
                        /** @description What is wrong with `name` */
                        name?: string[];
                        /** @description What is wrong with `namespaces` */
                        namespaces?: string[];
                        /** @description What is wrong with `parent` */
                        parent?: string[];
                        /** @description What is wrong with `visibility` */
                        visibility?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listObjects: {
        parameters: {
            query?: {
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
                /** @description Only records whose name contains this text, whatever its case */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Object"][];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `search` */
                        search?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    uploadObject: {
        parameters: {
            query?: {
                /** @description Name of the object */
                name?: string;
                /** @description Path of the namespace, created if need be; `path@user` for another user's */
                namespace?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
                "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description The content
                     */
                    file: string;
                    /** @description Name of the object */
                    name?: string;
                    /** @description Path of the namespace, created if need be; `path@user` for another user's */
                    namespace?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Object"];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `file` */
                        file?: string[];
                        /** @description What is wrong with `name` */
                        name?: string[];
                        /** @description What is wrong with `namespace` */
                        namespace?: string[];
                        /** @description What is wrong with `objects` */
                        objects?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getObject: {
        parameters: {
            query?: {
                /** @description Any value but `false`: returns the content as a file to save, whatever `Accept` says */
                download?: string;
            };
            header?: {
                /** @description Returns 304 if the content has not changed since */
                "If-Modified-Since"?: string;
                /** @description The part of the content to return, such as `bytes=0-99` */
                Range?: string;
            };
            path: {
                /** @description Id of the record */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "Content-Disposition": components["headers"]["File"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                    "application/json": components["schemas"]["Object"];
                };
            };
            /** @description A part of the content */
            206: {
                headers: {
                    "Content-Disposition": components["headers"]["File"];
                    "Content-Range": components["headers"]["Part"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description Not modified */
            304: {
                headers: {
                    "Last-Modified": components["headers"]["Modified"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            416: components["responses"]["416"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    deleteObject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listObjectBuilds: {
        parameters: {
            query?: {
                /** @description `true`: `output` is null, which makes the response short */
                brief?: "true" | "false";
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
                /** @description Only builds with a tag that contains this text, whatever its case */
                search?: string;
                /** @description Only builds with this status */
                status?: "queued" | "running" | "passed" | "passed_with_failures" | "failed" | "killed" | "timed_out";
                /** @description Only builds with this tag */
                tag?: string;
            };
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Build"][];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `brief` */
                        brief?: string[];
                        /** @description What is wrong with `search` */
                        search?: string[];
                        /** @description What is wrong with `status` */
                        status?: string[];
                        /** @description What is wrong with `tag` */
                        tag?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getDescription: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Version of OpenAPI */
                        openapi: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getQueue: {
        parameters: {
            query?: {
                /** @description Hours of history, 1 to 24; default: 3 */
                hours?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queue"];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `hours` */
                        hours?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listRunners: {
        parameters: {
            query?: {
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Runner"][];
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    openSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The same fields may be sent as a form, urlencoded or multipart */
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Secret of a sign-in link, instead of a token */
                    link?: string;
                    /** @description Secret of a token; the session may do what it may */
                    token?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `link` */
                        link?: string[];
                        /** @description What is wrong with `sessions` */
                        sessions?: string[];
                        /** @description What is wrong with `token` */
                        token?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    closeSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listTokens: {
        parameters: {
            query?: {
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"][];
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The same fields may be sent as a form, urlencoded or multipart */
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: date-time
                     * @description When the token expires; never if missing
                     */
                    expires_at?: string;
                    /** @description Name of the token */
                    name: string;
                    /** @description Permissions of the token, such as `build:read,write image:read` */
                    scope: string;
                };
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewToken"];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `expires_at` */
                        expires_at?: string[];
                        /** @description What is wrong with `name` */
                        name?: string[];
                        /** @description What is wrong with `scope` */
                        scope?: string[];
                        /** @description What is wrong with `tokens` */
                        tokens?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    deleteToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getCurrentUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listIdentities: {
        parameters: {
            query?: {
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Identity"][];
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    deleteIdentity: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"][];
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    deleteSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    createSignInLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInLink"];
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
                /** @description Only users whose username contains this text, whatever its case */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"][];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `search` */
                        search?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    createUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The same fields may be sent as a form, urlencoded or multipart */
        requestBody: {
            content: {
                "application/json": {
                    /** @description Whether the user administers this installation; false if missing */
                    admin?: boolean;
                    /** @description E-mail address of the user */
                    email: string;
                    /** @description Name of the user */
                    username: string;
                };
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `admin` */
                        admin?: string[];
                        /** @description What is wrong with `email` */
                        email?: string[];
                        /** @description What is wrong with `username` */
                        username?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listAllTokens: {
        parameters: {
            query?: {
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
                /** @description Only tokens whose name contains this text */
                search?: string;
                /** @description Only tokens of this user */
                user?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"][];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `search` */
                        search?: string[];
                        /** @description What is wrong with `user` */
                        user?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    deleteUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `username` */
                        username?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    createUserToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the user, or of the namespace's owner */
                username: string;
            };
            cookie?: never;
        };
        /** @description The same fields may be sent as a form, urlencoded or multipart */
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: date-time
                     * @description When the token expires; never if missing
                     */
                    expires_at?: string;
                    /** @description Name of the token */
                    name: string;
                    /** @description Permissions of the token, such as `build:read,write image:read` */
                    scope: string;
                };
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewToken"];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `expires_at` */
                        expires_at?: string[];
                        /** @description What is wrong with `name` */
                        name?: string[];
                        /** @description What is wrong with `scope` */
                        scope?: string[];
                        /** @description What is wrong with `tokens` */
                        tokens?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listVariables: {
        parameters: {
            query?: {
                /** @description Number of the page, from 1; a page has 25 records */
                page?: number;
                /** @description Only records whose name contains this text, whatever its case */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Variable"][];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `search` */
                        search?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    createVariable: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The same fields may be sent as a form, urlencoded or multipart */
        requestBody: {
            content: {
                "application/json": {
                    /** @description Name of the environment variable */
                    key: string;
                    /** @description Whether the value is hidden from responses and output; false if missing */
                    mask?: boolean;
                    /** @description The same as `mask` */
                    masked?: boolean;
                    /** @description Path of the namespace, created if need be; `path@user` for another user's */
                    namespace?: string;
                    /** @description Value of the variable */
                    value: string;
                };
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Variable"];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `key` */
                        key?: string[];
                        /** @description What is wrong with `mask` */
                        mask?: string[];
                        /** @description What is wrong with `masked` */
                        masked?: string[];
                        /** @description What is wrong with `namespace` */
                        namespace?: string[];
                        /** @description What is wrong with `value` */
                        value?: string[];
                        /** @description What is wrong with `variables` */
                        variables?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getVariable: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Variable"];
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    deleteVariable: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    updateVariable: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the record */
                id: number;
            };
            cookie?: never;
        };
        /** @description The same fields may be sent as a form, urlencoded or multipart */
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Whether the value is hidden from responses and output */
                    mask?: boolean;
                    /** @description The same as `mask` */
                    masked?: boolean;
                    /** @description New value of the variable */
                    value?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Variable"];
                };
            };
            /** @description Fields are invalid, or the request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is wrong with `mask` */
                        mask?: string[];
                        /** @description What is wrong with `masked` */
                        masked?: string[];
                        /** @description What is wrong with `value` */
                        value?: string[];
                    } | components["schemas"]["BadRequest"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getVersion: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The version */
                        build: string;
                    };
                };
            };
            /** @description The request cannot be read */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    Warning: components["headers"]["Warning"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BadRequest"];
                };
            };
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
}
