package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Verify reports whether a request has a valid signature. body has the bytes as received.
func Verify(body []byte, header http.Header, secret string, now time.Time) bool {
	id, at := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(at, 10, 64)
	if id == "" || err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(id + "." + at + "." + string(body)))
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	valid := false
	for _, given := range strings.Split(header.Get("webhook-signature"), " ") {
		valid = valid || hmac.Equal([]byte(given), []byte(expected))
	}
	return valid
}
