using System;
using System.Linq;
using System.Net.Http;
using System.Security.Cryptography.X509Certificates;
using System.Threading.Tasks;

static class Example {
    static void Main() => Run().GetAwaiter().GetResult();

    static async Task Run() {
        // Only here: the development certificate, and no other, is believed.
        var development = new X509Certificate2(Environment.GetEnvironmentVariable("CURL_CA_BUNDLE"));
        var handler = new HttpClientHandler {
            ServerCertificateCustomValidationCallback = (request, certificate, chain, errors) => development.Equals(certificate)
        };
        var http = new HttpClient(handler) { BaseAddress = new Uri(Environment.GetEnvironmentVariable("PORTAIL")) };
        var portail = new Portail(http, () => Task.FromResult(Environment.GetEnvironmentVariable("TOKEN")));

        var page = await portail.Get<Page>("/api/app/objet-courrier?SkipCount=0&MaxResultCount=5");
        Console.WriteLine($"{page.Body.Items.Length} of {page.Body.TotalCount} mail objects");

        var bundles = await portail.Get<Bundle[]>("/api/app/liasse/dashboard-list");
        Console.WriteLine($"{bundles.Body.Length} bundles of {bundles.Body.Sum(bundle => bundle.Amount)} euros");

        var read = await portail.Get<MailObject>("/api/app/objet-courrier/7");
        read.Body.Assignment = "Rien";
        await portail.Update(read.Body, read.Tag);
        try {
            read.Body.Assignment = "Obligatoire";
            await portail.Update(read.Body, read.Tag);
        } catch (PortailException error) {
            Console.WriteLine(error.Status);
        }
    }
}
