using System;
using System.Collections.Generic;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Runtime.Serialization;
using System.Runtime.Serialization.Json;
using System.Text;
using System.Threading.Tasks;

[DataContract] public class MailObject {
    [DataMember(Name = "id")] public long Id;
    [DataMember(Name = "typeObjet")] public string Type;
    [DataMember(Name = "utilisablePourLiasse")] public bool Usable;
    [DataMember(Name = "typeAffectation")] public string Assignment;
}

[DataContract] public class Page {
    [DataMember(Name = "totalCount")] public long TotalCount;
    [DataMember(Name = "items")] public MailObject[] Items;
}

[DataContract] public class Bundle {
    [DataMember(Name = "id")] public string Id;
    [DataMember(Name = "montantOpportunite")] public decimal Amount;
}

[DataContract] public class Failure {
    [DataContract] public class Info { [DataMember(Name = "message")] public string Message; }
    [DataMember(Name = "error")] public Info Error;
}

public class PortailException : Exception {
    public readonly int Status;
    public readonly string CorrelationId;

    public PortailException(HttpResponseMessage answer, Failure failure) : base(failure?.Error?.Message ?? answer.ReasonPhrase) {
        Status = (int)answer.StatusCode;
        CorrelationId = answer.Headers.TryGetValues("X-Correlation-Id", out var ids) ? string.Join("", ids) : null;
    }
}

public class Answer<T> {
    public T Body;
    public EntityTagHeaderValue Tag;
}

public class Portail {
    const int Attempts = 4;
    readonly HttpClient http;
    readonly Func<Task<string>> token;
    readonly Dictionary<string, object> cache = new Dictionary<string, object>();

    public Portail(HttpClient http, Func<Task<string>> token) { this.http = http; this.token = token; }

    public Task<Answer<T>> Get<T>(string target) => Call<T>(HttpMethod.Get, target, null, null);

    public Task<Answer<MailObject>> Update(MailObject changed, EntityTagHeaderValue tag) =>
        Call<MailObject>(HttpMethod.Put, $"/api/app/objet-courrier/{changed.Id}", changed, tag);

    async Task<Answer<T>> Call<T>(HttpMethod method, string target, object body, EntityTagHeaderValue tag) {
        var cached = method == HttpMethod.Get && cache.ContainsKey(target) ? (Answer<T>)cache[target] : null;
        for (var attempt = 1;; ++attempt) {
            var request = new HttpRequestMessage(method, target);
            request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", await token());
            if (cached != null) request.Headers.IfNoneMatch.Add(cached.Tag);
            if (tag != null) request.Headers.IfMatch.Add(tag);
            if (body != null) request.Content = new StringContent(Write(body), Encoding.UTF8, "application/json");
            using (var answer = await http.SendAsync(request)) {
                var status = (int)answer.StatusCode;
                if (status == 304) return cached;
                if (answer.IsSuccessStatusCode) {
                    var read = new Answer<T> { Body = await Read<T>(answer.Content), Tag = answer.Headers.ETag };
                    if (answer.Headers.CacheControl?.NoStore != true) cache[target] = read;
                    return read;
                }
                if ((status == 429 || status == 503) && attempt < Attempts) {
                    await Task.Delay(answer.Headers.RetryAfter?.Delta ?? TimeSpan.FromSeconds(1));
                    continue;
                }
                throw new PortailException(answer, await Read<Failure>(answer.Content));
            }
        }
    }

    static async Task<T> Read<T>(HttpContent content) =>
        (T)new DataContractJsonSerializer(typeof(T)).ReadObject(await content.ReadAsStreamAsync());

    static string Write(object body) {
        using (var stream = new System.IO.MemoryStream()) {
            new DataContractJsonSerializer(body.GetType()).WriteObject(stream, body);
            return Encoding.UTF8.GetString(stream.ToArray());
        }
    }
}
