import { createClient, mailObjects } from "./portail.mjs";

const call = createClient(process.env.PORTAIL, () => process.env.TOKEN);

const names = [];
for await (const mailObject of mailObjects(call, 15)) names.push(mailObject.typeObjet);
console.log(`${names.length} mail objects`);

const { body, tag } = await call("/api/app/objet-courrier/2");
await call("/api/app/objet-courrier/2", { method: "PUT", tag, body: { ...body, typeAffectation: "Rien" } });
for (const wrong of ["/api/app/objet-courrier/4711", "/api/app/objet-courrier?MaxResultCount=0"]) {
  await call(wrong).catch((error) => console.log(error.status, error.message, error.members));
}
await call("/api/app/objet-courrier/2", { method: "PUT", tag, body }).catch((error) => console.log(error.status));

for (let asked = 0; asked < 120; asked += 1) await call("/api/app/objet-courrier/3"); // more than the limit: some wait
console.log("120 answers");
