import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

type MailObject = components["schemas"]["ObjetCourrierDto"];

const headers = { Authorization: `Bearer ${process.env["TOKEN"]}` };
const client = createClient<paths>({ baseUrl: process.env["PORTAIL"]!, headers });

const { data: page } = await client.GET("/api/app/objet-courrier", { params: { query: { SkipCount: 0, MaxResultCount: 5 } } });
const ids: number[] = page!.items.map((mailObject: MailObject) => mailObject.id);
console.log(page!.totalCount, ids);

const path = { id: 5 };
const { data: read, response } = await client.GET("/api/app/objet-courrier/{id}", { params: { path } });
const tag = response.headers.get("ETag")!;
const update = { utilisablePourLiasse: read!.utilisablePourLiasse, typeAffectation: "Rien" } as const;
const header = { "If-Match": tag };
const changed = await client.PUT("/api/app/objet-courrier/{id}", { params: { path, header }, body: update });
console.log(changed.data!.typeAffectation);

const lost = await client.PUT("/api/app/objet-courrier/{id}", { params: { path, header }, body: { ...update, typeAffectation: "Obligatoire" } });
console.log(lost.response.status, lost.error!.error.message);

const { data: bundle } = await client.GET("/api/app/liasse/{id}", { params: { path: { id: "L-2024-0003" } } });
console.log(bundle!.piecesAttendues.map((piece) => piece.statut));
